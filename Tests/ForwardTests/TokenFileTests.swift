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
        }
    }
}
