import DictionaryTool
import Foundation
import Glibc
import TestSupport
import Testing

struct LintAgainstTests {
    private static let git = Tool("/usr/bin/git", package: "git")
    private static let old = "## show\n\nThe screen came up.\n\n## tap\n\nA tap.\n"
    private static let new = "## show\n\nThe screen came up.\n"

    /// A repository with one commit in whose folder `my shop` stands the old version; the new one is not committed.
    private func withRepository(_ body: (URL) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let shop = folder.appending(path: "my shop")
            try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: true)
            try Data(Self.old.utf8).write(to: shop.appending(path: "a.md"))
            try Data([0xEF, 0xBB, 0xBF] + Self.old.replacing("\n", with: "\r\n").utf8).write(
                to: shop.appending(path: "メモ.md"))
            let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
            try Self.git.run(["-C", folder.path, "init", "--quiet"])
            try Self.git.run(["-C", folder.path, "add", "."])
            try Self.git.run(["-C", folder.path] + identity + ["commit", "--quiet", "-m", "first"])
            try Data(Self.new.utf8).write(to: shop.appending(path: "a.md"))
            try FileManager.default.removeItem(at: shop.appending(path: "メモ.md"))
            try await body(folder)
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `against a revision, what is gone is an error`() async throws {
        try await withRepository { folder in
            let reply = await Reply(
                ["lint", folder.appending(path: "my shop").path, "--against", "HEAD"], in: folder.path)
            #expect(reply.outcome == .no)
            #expect(
                reply.output.split(separator: "\n").map { $0.prefix { $0 != "]" } } == [
                    "my shop:1:1: error [category-removed", "my shop/a.md:1:1: error [event-removed",
                ])
        }
    }

    @Test(
        .enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"),
        arguments: ["nowhere", "--output=x", "-h", "HEAD~5", "HEAD:a.md", "\n", "@{upstream}"])
    func `what is no revision is status 2 and says so`(_ revision: String) async throws {
        try await withRepository { folder in
            let reply = await Reply(["lint", folder.appending(path: "my shop").path, "--against=\(revision)"])
            #expect(reply.outcome == .wrongUsage && reply.output.isEmpty)
            #expect(reply.errors.contains("there is no folder and no revision `\(revision)`"))
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.sorted() == [".git", "my shop"])
        }
    }

    @Test(
        .enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"),
        arguments: ["HEAD:my shop", "HEAD:./", "HEAD^{tree}:my shop", "HEAD~0:my shop/", "HEAD^{tree}"])
    func `a folder of a revision is the earlier version, wherever the definitions are now`(
        _ revision: String
    ) async throws {
        try await withRepository { folder in
            let moved = folder.appending(path: "my shop")
            let reply = await Reply(["lint", moved.path, "--against", revision], in: folder.path)
            if revision == "HEAD^{tree}" {
                #expect(reply.outcome == .wrongUsage && reply.errors.contains("no .md files in `HEAD^{tree}`"))
            } else {
                #expect(reply.outcome == .no && reply.output.contains("my shop/a.md:1:1: error [event-removed]"))
            }
        }
    }

    @Test(
        .enabled(if: git.reasonToSkip == nil && getuid() == 0, "git is missing: apt-get install git; needs root"))
    func `a repository of another user is reported, with what to do`() async throws {
        try await withRepository { folder in
            for path in [folder.path, folder.appending(path: ".git").path, folder.appending(path: "my shop").path] {
                try #require(chown(path, 65_534, 65_534) == 0)
            }
            let reply = await Reply(["lint", folder.appending(path: "my shop").path, "--against", "HEAD"])
            #expect(reply.outcome == .wrongUsage && reply.errors.contains("belongs to another user"))
            #expect(reply.errors.contains("run `git config --global --add safe.directory"))
            #expect(!reply.errors.contains("\u{FFFD}") && reply.errors.split(separator: "\n").count == 1)
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `a folder that is not in the revision, or in no repository, is status 2`() async throws {
        try await withRepository { folder in
            let added = folder.appending(path: "added")
            try FileManager.default.createDirectory(at: added, withIntermediateDirectories: true)
            try Data(Self.new.utf8).write(to: added.appending(path: "a.md"))
            let reply = await Reply(["lint", added.path, "--against", "HEAD"])
            #expect(reply.outcome == .wrongUsage && reply.errors.contains("has no .md files at `HEAD`"))
            #expect(reply.errors.contains("write that folder as `HEAD:path/in/the/repository`"))
            try FileManager.default.removeItem(at: folder.appending(path: ".git"))
            let outside = await Reply(["lint", added.path, "--against", "HEAD"])
            #expect(outside.outcome == .wrongUsage && outside.errors.contains("is in no git repository"))
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `a partial clone that has no files of the revision says what fetches them`() async throws {
        try await withRepository { folder in
            let clone = folder.appending(path: "clone")
            for command in [
                ["config", "uploadpack.allowFilter", "true"],
                ["clone", "--quiet", "--no-checkout", "--filter=blob:none", "file://\(folder.path)", clone.path],
            ] {
                try Self.git.run(["-C", folder.path] + command)
            }
            let shop = clone.appending(path: "my shop")
            try FileManager.default.copyItem(at: folder.appending(path: "my shop"), to: shop)
            let reply = await Reply(["lint", shop.path, "--against", "HEAD"])
            #expect(reply.outcome == .wrongUsage)
            #expect(reply.errors.contains("could not fetch"), "\(reply.errors)")
            #expect(reply.errors.contains("fetch it before, as by `git archive COMMIT > /dev/null`"), "\(reply.errors)")
        }
    }

    @Test func `a common file that is gone has no lines, so its parameters are missed at the folder`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["old", "new"] {
                let version = folder.appending(path: name)
                try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
                try Data(Self.old.utf8).write(to: version.appending(path: "a.md"))
            }
            try Data("- x: !string\n".utf8).write(to: folder.appending(path: "old/common.md"))
            let (old, new) = (folder.appending(path: "old").path, folder.appending(path: "new").path)
            let reply = await Reply(["lint", new, "--against", old], in: folder.path)
            #expect(
                reply.output == "new:1:1: error [parameter-removed]: `x` of all events is gone, and may still be sent: "
                    + "write `- [obsolete] x: !string` in common.md\n")
        }
    }

    @Test(.enabled(if: git.reasonToSkip == nil, "git is missing: apt-get install git"))
    func `files that are no definitions are none at an earlier revision either`() async throws {
        try await withRepository { folder in
            try Data("dictionaries: [{name: shop, path: 'my shop', ignore: ['メモ.md']}]".utf8)
                .write(to: folder.appending(path: "gloss.yaml"))
            let reply = await Reply(
                ["lint", "--config", folder.appending(path: "gloss.yaml").path, "--against", "HEAD"], in: folder.path)
            #expect(reply.output.contains("[event-removed]") && !reply.output.contains("[category-removed]"))
        }
    }

    @Test func `against a folder, what is gone is an error`() async throws {
        try await withTemporaryFolder { folder in
            for (name, text) in [("old", Self.old), ("new", Self.new)] {
                let version = folder.appending(path: name)
                try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
                try Data(text.utf8).write(to: version.appending(path: "a.md"))
            }
            let (old, new) = (folder.appending(path: "old").path, folder.appending(path: "new").path)
            let reply = await Reply(["lint", new, "--against", old], in: folder.path)
            #expect(reply.outcome == .no && reply.output.hasPrefix("new/a.md:1:1: error [event-removed]"))
            #expect(await Reply(["lint", old, "--against", new]).outcome == .done)
            let file = await Reply(["lint", new, "--against", old + "/a.md"])
            #expect(file.outcome == .wrongUsage && file.errors.contains("is a file"))
        }
    }
}
