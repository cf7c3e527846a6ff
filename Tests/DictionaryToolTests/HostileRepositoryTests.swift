import DictionaryTool
import Foundation
import TestSupport
import Testing

/// What a repository's own configuration makes git execute, and `lint --against` must not.
struct HostileRepositoryTests {
    private static let git = Tool("/usr/bin/git", package: "git")

    /// A setting whose program writes a file; MARK is its path.
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let settings: [(name: String, value: String)]
        /// The revision that `lint` is asked for, and what it then says.
        var reference = "HEAD"
        /// An old git says that the object is missing, or is ended by the pipe to the transport that was not allowed.
        var complaint = "in a partial clone, nothing is fetched by this command"
        /// What plain git executes it for.
        var object: String { reference == "HEAD" ? "HEAD:./a.md" : reference }

        /// The repository says that a remote has the objects that it lacks.
        init(remote description: String, _ url: String, _ settings: [(String, String)] = []) {
            testDescription = description
            self.settings = [("remote.evil.promisor", "true"), ("remote.evil.url", url)] + settings
        }

        init(_ description: String, _ settings: [(String, String)]) {
            testDescription = description
            self.settings = settings
        }

        /// The index is read for no other revision.
        func ofIndex() -> Vector {
            var vector = self
            vector.reference = ":./a.md"
            vector.complaint = "there is no folder and no revision"
            return vector
        }
    }

    private static let vectors = [
        Vector(remote: "a program of the other side", ".", [("remote.evil.uploadpack", "touch MARK;")]),
        Vector(remote: "ssh", "ssh://host/x", [("core.sshCommand", "touch MARK;")]),
        Vector(remote: "a proxy", "git://host/x", [("core.gitProxy", "MARK.sh")]),
        Vector(remote: "a command as URL", "ext::sh -c touch% MARK", [("protocol.ext.allow", "always")]),
        Vector(remote: "a helper", ".", [("remote.evil.vcs", "none"), ("alias.remote-none", "!touch MARK;")]),
        Vector(remote: "a helper without a name", "::x", [("alias.remote-", "!touch MARK;")]),
        Vector(
            "a remote that is an option",
            [
                ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "--upload-pack=touch MARK;"),
                ("remote.origin.url", "."),
            ]),
        Vector("a file system monitor", [("core.fsmonitor", "MARK.sh")]).ofIndex(),
    ]

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"), arguments: vectors)
    func `its configuration executes nothing`(_ vector: Vector) async throws {
        try await withRepository(vector) { shop, mark in
            // It fails in the end: none of the programs is the other side of a transport.
            try? Self.git.run(["-C", shop, "cat-file", "-e", vector.object])
            try #require(FileManager.default.fileExists(atPath: mark), "git itself does not execute it any more")
            try FileManager.default.removeItem(atPath: mark)

            let reply = await Reply(["lint", shop, "--against=\(vector.reference)"])
            #expect(!FileManager.default.fileExists(atPath: mark))
            #expect(reply.outcome == .wrongUsage && reply.errors.contains(vector.complaint), "\(reply.errors)")
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"), arguments: vectors)
    func `nor with a git that knows no switch against lazy fetching`(_ vector: Vector) async throws {
        try await withRepository(vector) { shop, mark in
            let programs = URL(filePath: mark).deletingLastPathComponent().appending(path: "bin")
            try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
            let old = programs.appending(path: "git").path
            try Self.writeProgram("unset GIT_NO_LAZY_FETCH\nexec \(Self.git.path) \"$@\"\n", to: old)
            let path = programs.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
            let reply = try BuiltProgram.run(
                ["lint", shop, "--against=\(vector.reference)"], in: programs, environment: ["PATH": path])
            #expect(!FileManager.default.fileExists(atPath: mark))
            #expect(reply.status == 2 && reply.errors.contains(vector.complaint), "\(reply.errors)")
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `a repository that came as files of another is none`() async throws {
        try await withTemporaryFolder { folder in
            let shop = folder.appending(path: "bare/shop")
            try Self.git.run(["init", "--quiet", "--bare", folder.appending(path: "bare").path])
            try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: true)
            try Data("## show\n\nText.\n".utf8).write(to: shop.appending(path: "a.md"))
            for setting in [("core.bare", "false"), ("core.worktree", "..")] {
                try Self.git.run(["-C", shop.path, "config", setting.0, setting.1])
            }
            let reply = await Reply(["lint", shop.path, "--against", "HEAD"])
            #expect(reply.outcome == .wrongUsage && reply.errors.contains("cannot use bare repository"))
        }
    }

    /// A repository that lacks a definition file of its commit, and sets what the vector says.
    private func withRepository(
        _ vector: Vector, _ body: (_ shop: String, _ mark: String) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let (shop, mark) = (folder.appending(path: "shop"), folder.appending(path: "mark").path)
            try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: true)
            try Data("## show\n\nThe screen came up.\n".utf8).write(to: shop.appending(path: "a.md"))
            try Self.writeProgram("touch \(mark)\nprintf 'token\\0/\\0'\n", to: mark + ".sh")
            let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
            for command in [
                ["init", "--quiet", "--object-format=sha1"], ["add", "shop"],
                identity + ["commit", "--quiet", "-m", "first"], ["update-index", "--fsmonitor"],
            ] {
                try Self.git.run(["-C", folder.path] + command)
            }
            // That of the file's bytes, see `git hash-object`.
            let blob = ".git/objects/9c/4eba9603690f50ddfe3d822d8fd31ed7feecab"
            try FileManager.default.removeItem(at: folder.appending(path: blob))
            for setting in vector.settings {
                let value = setting.value.replacing("MARK", with: mark)
                try Self.git.run(["-C", folder.path, "config", setting.name, value])
            }
            try await body(shop.path, mark)
        }
    }

    private static func writeProgram(_ text: String, to path: String) throws {
        try Data("#!/bin/sh\n\(text)".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    }
}
