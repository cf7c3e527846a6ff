import Definitions
import Foundation
import Glibc
import Model
import TestSupport
import Testing

/// What may lie in a folder of definitions.
struct DictionaryFolderTests {
    private static let good = "## show\n\nThe screen came up.\n"

    private func problems(in folder: URL) -> [String] {
        do {
            return try DictionaryFolder.load(DictionaryOptions(name: "shop", path: folder.path)).warnings.map(
                \.description)
        } catch {
            return error.problems.map(\.description)
        }
    }

    private func write(_ name: String, in folder: URL) throws {
        try Data(Self.good.utf8).write(to: folder.appending(path: name))
    }

    @Test func `a folder that is not there, is empty or is a file is an error of the folder`() async throws {
        try await withTemporaryFolder { folder in
            #expect(problems(in: folder).first?.contains("error [no-definitions]: there are no .md files") == true)
            let missing = folder.appending(path: "missing")
            #expect(problems(in: missing).first?.contains("error [unreadable-file]: the folder cannot be read") == true)
            try write("recipe", in: folder)
            #expect(problems(in: folder.appending(path: "recipe")).first?.contains("Not a directory") == true)
        }
    }

    @Test func `what is no regular file is an error, and the others are read all the same`() async throws {
        try await withTemporaryFolder { folder in
            try write("good.md", in: folder)
            try FileManager.default.createDirectory(
                at: folder.appending(path: "folder.md"), withIntermediateDirectories: true)
            try #require(mkfifo(folder.appending(path: "pipe.md").path, 0o600) == 0)
            try #require(symlink("loop.md", folder.appending(path: "loop.md").path) == 0)
            try #require(symlink("nowhere", folder.appending(path: "dangling.md").path) == 0)
            try #require(symlink("good.md", folder.appending(path: "linked.md").path) == 0)
            let contents = DictionaryFolder.contents(of: folder.path, ignore: [])
            #expect(contents.files.map(\.name) == ["good.md", "linked.md"])
            #expect(
                contents.problems.map(\.description) == [
                    "dangling.md:1:1: error [unreadable-file]: cannot be read: No such file or directory",
                    "folder.md:1:1: error [unreadable-file]: is not a regular file",
                    "loop.md:1:1: error [unreadable-file]: cannot be read: Too many levels of symbolic links",
                    "pipe.md:1:1: error [unreadable-file]: is not a regular file",
                ])
        }
    }

    private func makeLink(_ name: String, in folder: URL, to target: String) throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.appending(path: name).path, withDestinationPath: target)
    }

    @Test func `links are followed within the folder, as in a config map, and nowhere else`() async throws {
        try await withTemporaryFolder { root in
            let (folder, files) = (root.appending(path: "shop"), FileManager.default)
            for path in ["shop/..1/types", "shop-2"] {
                try files.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
            }
            for name in ["..1/a.md", "..1/types/t.md", "../shop-2/secret", "../secret"] { try write(name, in: folder) }
            try makeLink("..data", in: folder, to: "..1")
            try makeLink("a.md", in: folder, to: "..data/a.md")
            try makeLink("around.md", in: folder, to: "../shop/a.md")
            try makeLink("whole.md", in: folder, to: folder.appending(path: "a.md").path)
            try makeLink("types", in: folder, to: "..data/types")
            try makeLink("..1/types/up.md", in: folder, to: "../a.md")
            try makeLink("current", in: root, to: "shop")
            for place in [folder, root.appending(path: "current"), URL(filePath: "\(folder.path)/../current/")] {
                let contents = DictionaryFolder.contents(of: place.path, ignore: [])
                #expect(contents.files.map(\.name) == ["a.md", "around.md", "types/t.md", "types/up.md", "whole.md"])
                #expect(contents.problems.isEmpty, "\(contents.problems)")
            }
            let outside = [
                "device.md": "/dev/zero", "next.md": "../shop-2/secret", "own.md": "/proc/self/environ",
                "secret.md": "../secret", "through.md": "..2/secret", "types/deep.md": "../../../secret",
            ]
            try makeLink("..2", in: folder, to: "../shop-2")
            for (name, target) in outside { try makeLink(name, in: folder, to: target) }
            let contents = DictionaryFolder.contents(of: folder.path, ignore: [])
            #expect(contents.files.map(\.name) == ["a.md", "around.md", "types/t.md", "types/up.md", "whole.md"])
            #expect(contents.problems.map(\.file) == outside.keys.sorted())
            #expect(contents.problems.allSatisfy { $0.rule == .outsideLink }, "\(contents.problems)")
        }
    }

    @Test func `a folder of types outside is not read, and a link that is swapped never leads out`() async throws {
        try await withTemporaryFolder { root in
            let folder = root.appending(path: "shop")
            for path in ["shop", "types"] {
                try FileManager.default.createDirectory(
                    at: root.appending(path: path), withIntermediateDirectories: true)
            }
            try write("a.md", in: folder)
            try write("t.md", in: root.appending(path: "types"))
            try makeLink("types", in: folder, to: "../types")
            let message = "is a link that leads out of the folder: put the file itself here"
            #expect(problems(in: folder) == ["types:1:1: error [outside-link]: \(message)"])
            #expect(DictionaryFolder.contents(of: folder.path, ignore: []).files.map(\.name) == ["a.md"])

            try Data("the secret".utf8).write(to: root.appending(path: "secret"))
            try makeLink("b.md", in: folder, to: "a.md")
            let place = folder.path
            let swapping = Task.detached {
                while !Task.isCancelled {
                    for target in ["../secret", "a.md"] {
                        _ = symlink(target, "\(place)/draft")
                        _ = rename("\(place)/draft", "\(place)/b.md")
                    }
                }
            }
            for _ in 0..<2000 {
                let files = DictionaryFolder.contents(of: place, ignore: []).files
                #expect(files.allSatisfy { $0.bytes == Array(Self.good.utf8) })
            }
            swapping.cancel()
            await swapping.value
        }
    }

    @Test func `hidden files are passed over, other spellings of the suffix are named`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["good.md", ".hidden.md", "notes.txt", "README", "menu.MD", "help.markdown"] {
                try write(name, in: folder)
            }
            #expect(
                problems(in: folder) == [
                    "help.markdown:1:1: warning [ignored-file]: not read: name it `*.md`",
                    "menu.MD:1:1: warning [ignored-file]: not read: name it `*.md`",
                ])
        }
    }

    @Test func `files that the settings ignore are passed over, by name or path, and do not change the version`()
        async throws
    {
        try await withTemporaryFolder { folder in
            func contents(_ ignore: String...) -> DictionaryFolder.Contents {
                DictionaryFolder.contents(of: folder.path, ignore: ignore.map { Glob($0) })
            }
            func version() throws -> String {
                try DictionaryFolder.load(DictionaryOptions(name: "shop", path: folder.path)).dictionary.version
            }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "types"), withIntermediateDirectories: true)
            for name in ["README.md", "types/README.md"] {
                try Data("# Shop\n\n## How to\n- x-y: !z\n".utf8).write(to: folder.appending(path: name))
            }
            #expect(
                problems(in: folder).first?.contains("there are no .md files in this folder but README.md, which")
                    == true)
            try write("good.md", in: folder)
            let before = try version()
            for name in ["notes.MD", "draft_a.md", "draft_b.md"] { try write(name, in: folder) }
            #expect(
                DictionaryFolder.contents(of: folder.path, ignore: DictionaryOptions.usualIgnore).ignored == [
                    "README.md", "types/README.md",
                ])
            let drafts = contents("README.md", "draft_*", "notes.MD")
            #expect(drafts.files.map(\.name) == ["good.md"] && drafts.problems.isEmpty)
            #expect(
                drafts.ignored == ["README.md", "draft_a.md", "draft_b.md", "notes.MD", "types/README.md"])
            #expect(contents("types/*").ignored == ["types/README.md"])
            let all = ["README.md", "draft_a.md", "draft_b.md", "good.md", "types/README.md"]
            #expect(contents().files.map(\.name) == all)
            for name in ["notes.MD", "draft_a.md", "draft_b.md"] {
                try FileManager.default.removeItem(at: folder.appending(path: name))
            }
            try write("README.md", in: folder)
            #expect(try version() == before)
        }
    }

    @Test(arguments: [(8_000_000, ["large.md"]), (9_000_000, [])])
    func `a large file is an error, with the limit that files have, also if it is not read to its end`(
        bytes: Int, read: [String]
    ) async throws {
        try await withTemporaryFolder { folder in
            let file = folder.appending(path: "large.md")
            try write("large.md", in: folder)
            try #require(truncate(file.path, bytes) == 0)
            #expect(DictionaryFolder.contents(of: folder.path, ignore: []).files.map(\.name) == read)
            #expect(
                problems(in: folder) == ["large.md:1:1: error [too-large]: is larger than 4 MiB: split the category"])
        }
    }

    @Test(.enabled(if: access("/dev/shm", W_OK) == 0, "other file systems have no files of that size"))
    func `a file of the largest size there is is an error, too`() throws {
        let folder = URL(filePath: "/dev/shm/gloss-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try write("large.md", in: folder)
        try #require(truncate(folder.appending(path: "large.md").path, .max) == 0)
        #expect(problems(in: folder) == ["large.md:1:1: error [too-large]: is larger than 4 MiB: split the category"])
    }

    @Test func `a folder of 5,000 files is a dictionary`() async throws {
        try await withTemporaryFolder { folder in
            try write("category_0.md", in: folder)
            let first = folder.appending(path: "category_0.md").path
            for number in 1..<5000 {
                try #require(link(first, "\(folder.path)/category_\(number).md") == 0)
            }
            let (dictionary, warnings) = try DictionaryFolder.load(DictionaryOptions(name: "shop", path: folder.path))
            #expect(dictionary.categories.count == 5000 && warnings.isEmpty)
        }
    }

    @Test func `10,000 events in one file are found by their names`() throws {
        let text = (0..<10_000).map { "## event_\($0)\n\nText.\n\n- x: !string 8\n\n" }.joined()
        let file = DefinitionFile(name: "a.md", bytes: Array(text.utf8))
        let dictionary = try DictionaryParser.parse([file], options: DictionaryOptions(name: "a", path: "a")).dictionary
        for number in 0..<10_000 {
            let key = EventKey(category: "a", name: "event_\(number)")
            #expect(dictionary.definition(key)?.line == 6 * number + 1)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `15,000 files of types are read, each with what it says of privacy, without delay`() {
        let event = "## e\n\nE.\n\n- m1: !string\n    - privacy: hash\n"
        let members = (1...5).map { "- m\($0): !string\n    - privacy: public\n" }.joined()
        let types = (0..<15_000).map {
            DefinitionFile(name: "types/t\($0).md", bytes: Array("## T\($0)\n\n\(members)".utf8))
        }
        let problems = DictionaryParser.read(
            [DefinitionFile(name: "a.md", bytes: Array(event.utf8))] + types,
            options: DictionaryOptions(name: "shop", path: "")
        ).problems
        #expect(problems.contains { $0.rule == .privacyConflict && $0.file.hasPrefix("types/") })
        #expect(!problems.contains { $0.rule == .impliedPrivacy })
    }

    @Test(.timeLimit(.minutes(1))) func `a type that is too deep is read once, however many refer to it`() throws {
        var types = (1...32).map { "## T\($0)\n\n- x: \($0 == 1 ? "!string" : "T\($0 - 1)")\n" }
        // Each refers to all before it, and none of them has a meaning.
        for number in 1...30 {
            let others = (1..<number).map { "- r\($0): R\($0)\n" }.joined()
            types.append("## R\(number)\n\n- a: T32\n\(others)")
        }
        let problems = DictionaryParser.read(
            [
                DefinitionFile(name: "a.md", bytes: Array("# a\n\nA.\n\n## event\n\nE.\n\n- x: R30\n".utf8)),
                DefinitionFile(name: "types/t.md", bytes: Array(types.joined(separator: "\n").utf8)),
            ], options: DictionaryOptions(name: "shop", path: "")
        ).problems
        #expect((1...30).contains(problems.count { $0.message.hasPrefix("types are nested deeper than 32") }))
    }

    @Test func `types are not nested deeper for being written in another order`() throws {
        let types = (1...34).map { "## T\($0)\n\n- x: \($0 == 1 ? "!string" : "T\($0 - 1)")\n" }
        for texts in [types, types.reversed()] {
            let problems = DictionaryParser.read(
                [
                    DefinitionFile(name: "a.md", bytes: Array("# a\n\nA.\n\n## event\n\nE.\n\n- x: T34\n".utf8)),
                    DefinitionFile(name: "types/t.md", bytes: Array(texts.joined(separator: "\n").utf8)),
                ], options: DictionaryOptions(name: "shop", path: "")
            ).problems
            #expect(problems.contains { $0.message.hasPrefix("types are nested deeper than 32") })
        }
        let fine = DictionaryParser.read(
            [
                DefinitionFile(name: "a.md", bytes: Array("# a\n\nA.\n\n## event\n\nE.\n\n- x: T32\n".utf8)),
                DefinitionFile(name: "types/t.md", bytes: Array(types.prefix(32).joined(separator: "\n").utf8)),
            ], options: DictionaryOptions(name: "shop", path: ""))
        #expect(!fine.problems.hasErrors, "\(fine.problems)")
    }

}
