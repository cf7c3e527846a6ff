import Foundation
import Glibc
import TestSupport
import Testing

/// gloss-dictionary as a process: what only the built program shows.
struct BuiltProgramTests {
    private static let git = Tool("/usr/bin/git", package: "git")

    @Test(arguments: [["lint", "shop"], ["lint", "shop", "-o", "sarif"], ["--help"], ["generate", "python", "good"]])
    func `output that cannot be written is reported, with status 1`(_ arguments: [String]) async throws {
        try await withShop { folder in
            let output = arguments[0] == "generate" ? ["--output", "code"] : []
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let reply = try BuiltProgram.run(arguments + output, in: folder, output: full)
            #expect(reply.status == 1)
            #expect(reply.errors == "glossctl: standard output: No space left on device\n")
        }
    }

    @Test func `a reader that leaves is nothing to complain of, and the status still says what was found`() async throws
    {
        try await withShop { folder in
            let pipe = Pipe()
            try pipe.fileHandleForReading.close()
            let reply = try BuiltProgram.run(["lint", "shop"], in: folder, output: pipe.fileHandleForWriting)
            #expect(reply.status == 1)
            #expect(reply.errors == "1 error, 0 warnings in 1 file\n")
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `the repository is that of the folder, whatever git sets in a hook's environment`() async throws {
        try await withShop { folder in
            try Self.git.run(["-C", folder.path, "init", "--quiet", "other"])
            try Self.commit(folder.appending(path: "shop"))
            let other = folder.appending(path: "other/.git").path
            let hook = [
                "GIT_DIR": other, "GIT_WORK_TREE": folder.path, "GIT_INDEX_FILE": other + "/index", "GIT_PREFIX": "x/",
                "GIT_COMMON_DIR": other, "GIT_OBJECT_DIRECTORY": other + "/objects",
            ]
            let reply = try BuiltProgram.run(["lint", "shop", "--against", "HEAD"], in: folder, environment: hook)
            #expect(reply.errors == "1 error, 0 warnings in 1 file\n" && reply.status == 1)
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `nothing is left of files for git that cannot be written`() async throws {
        try await withShop { folder in
            try Self.commit(folder.appending(path: "shop"))
            let temporary = folder.appending(path: "temporary")
            try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
            let reply = try BuiltProgram.run(
                ["lint", "shop", "--against", "HEAD"], in: folder, environment: ["TMPDIR": temporary.path],
                limits: "trap '' XFSZ; ulimit -f 0")
            #expect(reply.status == 2 && reply.errors.contains("--against: git cannot be run"), "\(reply.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        }
    }

    /// Makes a repository of a folder, with what is in it.
    private static func commit(_ folder: URL) throws {
        let name = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        for arguments in [["init", "--quiet"], ["add", "."], name + ["commit", "--quiet", "-m", "first"]] {
            try git.run(["-C", folder.path] + arguments)
        }
    }

    private func withShop(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in [("good", "## show\n\nText.\n"), ("shop", "## show\n\nText.\n- x: !string\n")] {
                let definitions = folder.appending(path: name)
                try FileManager.default.createDirectory(at: definitions, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: definitions.appending(path: "a.md"))
            }
            try await body(folder)
        }
    }
}
