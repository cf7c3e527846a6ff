import Foundation
import Linux
import Testing

@testable import Forward

@Suite struct TokenFileTests {
    @Test(arguments: ["abc123", "abc123\n", "  abc123\r\n\n"]) func `white space around a token does not belong to it`(
        text: String
    ) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("token", text)
            #expect(try TokenFile.read(path) == "abc123")
        }
    }

    @Test(arguments: ["", "\n", "ab cd", "ab\u{0}cd", "ab\ncd", "töken", String(repeating: "x", count: 20_000)])
    func `what is no token is refused, and the error does not show it`(text: String) async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("token", text)
            let error = try #require(throws: TokenFile.Failure.self) { try TokenFile.read(path) }
            #expect(error.description.contains(path))
            #expect(text.count < 2 || !error.description.contains(text))
        }
    }

    @Test func `a missing file, a folder and an empty pipe are refused at once`() async throws {
        try await withTemporaryFolder { folder in
            let missing = try #require(throws: TokenFile.Failure.self) { try TokenFile.read(folder.path("missing")) }
            #expect(missing.description.contains("No such file"))
            #expect(throws: TokenFile.Failure.self) { try TokenFile.read(folder.path("")) }
            try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
            #expect(throws: TokenFile.Failure.self) { try TokenFile.read(folder.path("pipe")) }
            let device = try #require(throws: TokenFile.Failure.self) { try TokenFile.read("/dev/null") }
            #expect(device.description.hasSuffix("is not a regular file"))
        }
    }

    @Test func `a file that everybody may write to is refused, also behind a link`() async throws {
        try await withTemporaryFolder { folder in
            let (path, link) = (try folder.write("token", "abc123"), folder.path("link"))
            try #require(symlink("token", link) == 0 && chmod(path, 0o602) == 0)
            for place in [path, link] {
                let error = try #require(throws: TokenFile.Failure.self) { try TokenFile.read(place) }
                #expect(error.description.contains("\(place) may be changed by everybody"))
                #expect(TokenFile.exposure(of: place, users: [geteuid()]) == nil)
            }
            try #require(chmod(path, 0o664) == 0)
            #expect(try TokenFile.read(link) == "abc123")
            let exposure = TokenFile.exposure(of: link, users: [geteuid()])
            #expect(exposure == "its group may change it, and everybody may read it")
        }
    }

    @Test(.enabled("needs root to give a file away") { geteuid() == 0 })
    func `another user's file is used, and that user is named`() async throws {
        try await withTemporaryFolder { folder in
            let path = try folder.write("token", "abc123")
            try #require(chmod(path, 0o600) == 0 && chown(path, 65_534, 65_534) == 0)
            #expect(try TokenFile.read(path) == "abc123")
            #expect(TokenFile.exposure(of: path, users: [geteuid()]) == "user 65534, who owns it, may change it")
            #expect(TokenFile.exposure(of: path, users: [geteuid(), 65_534]) == nil)
            try #require(chown(path, 0, 65_534) == 0 && chmod(path, 0o440) == 0)
            #expect(TokenFile.exposure(of: path, users: []) == nil)
        }
    }
}
