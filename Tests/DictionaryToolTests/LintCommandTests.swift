import DictionaryTool
import Foundation
import Model
import TestSupport
import Testing

struct LintCommandTests {
    private static let good = "## show\n\nThe screen came up.\n"
    private static let bad = "## show\n\nThe screen came up.\n- x: !string\n\n##\n"

    private func write(_ text: String, _ name: String, in folder: URL) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    @Test func `clean definitions are status 0 and only counted`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.good, "shop/a.md", in: folder)
            let reply = await Reply(["lint", folder.appending(path: "shop").path], in: folder.path)
            #expect(reply.outcome == .done && reply.output.isEmpty)
            #expect(reply.errors == "0 errors, 0 warnings in 1 file\n")
        }
    }

    @Test func `every problem of every file is one line, with the path as the user would write it`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.bad, "shop/a.md", in: folder)
            try write("# b\n\n- x: !strng\n", "shop/b.md", in: folder)
            try write("# c\n\nc\n\n##\n", "shop/c.md", in: folder)
            try #require(symlink("loop.md", folder.appending(path: "shop/loop.md").path) == 0)
            let reply = await Reply(["lint", folder.appending(path: "shop/").path], in: folder.path)
            #expect(reply.outcome == .no)
            #expect(
                reply.output.split(separator: "\n").map { $0.prefix { $0 != "]" } } == [
                    "shop/a.md:4:1: error [list-under-text", "shop/a.md:6:1: warning [empty-heading",
                    "shop/b.md:3:6: error [unknown-type", "shop/c.md:1:1: warning [empty-category",
                    "shop/c.md:5:1: warning [empty-heading", "shop/loop.md:1:1: error [unreadable-file",
                ])
            #expect(reply.errors == "3 errors, 3 warnings in 4 files\n")
        }
    }

    @Test func `strict makes warnings status 1`() async throws {
        try await withTemporaryFolder { folder in
            try write("# other\n\n" + Self.good, "a.md", in: folder)
            #expect(await Reply(["lint", folder.path]).outcome == .done)
            #expect(await Reply(["lint", folder.path, "--strict"]).outcome == .no)
        }
    }

    @Test func `for a single file, problems across files are found and those of other files are left out`() async throws
    {
        try await withTemporaryFolder { folder in
            try write("- x: !string\n\n" + Self.good, "common.md", in: folder)
            try write(Self.good + "\n- x: !string\n", "a.md", in: folder)
            try write(Self.bad, "b.md", in: folder)
            let reply = await Reply(["lint", folder.appending(path: "a.md").path], in: folder.path)
            #expect(reply.output.hasPrefix("a.md:5:3: error [shadowed-parameter]"))
            #expect(reply.output.contains(" (common.md:1): "))
            #expect(reply.errors == "1 error, 0 warnings in 1 file\n")
        }
    }

    @Test(arguments: [
        ["shop", "shop/"], ["shop", "shop/a.md"], ["shop/a.md", "shop"], ["shop", "shop/../shop"],
        ["shop", "link/b.md"],
        ["shop/types/t.md", "shop", "shop/types/t.md"],
    ])
    func `a folder is checked once, however often it is named`(_ paths: [String]) async throws {
        try await withTemporaryFolder { folder in
            for name in ["a", "b"] { try write(Self.bad, "shop/\(name).md", in: folder) }
            try write("## T\n- x: !strng\n", "shop/types/t.md", in: folder)
            try #require(symlink("shop", folder.appending(path: "link").path) == 0)
            let once = await Reply(["lint", folder.appending(path: "shop").path], in: folder.path)
            let reply = await Reply(["lint"] + paths.map { "\(folder.path)/\($0)" }, in: folder.path)
            #expect(reply.output == once.output && reply.errors == once.errors)
            #expect(once.errors.hasSuffix(" in 3 files\n"))
        }
    }

    @Test func `files of one folder are checked together, however it is written`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["a", "b", "c"] { try write(Self.bad, "shop/\(name).md", in: folder) }
            let paths = ["shop/a.md", "./shop/b.md", "shop/a.md"].map { "\(folder.path)/\($0)" }
            let reply = await Reply(["lint"] + paths, in: folder.path)
            #expect(
                reply.output.split(separator: "\n").map { $0.prefix { $0 != ":" } }
                    == ["a", "a", "b", "b"].map { "shop/\($0).md" })
            #expect(reply.errors == "2 errors, 2 warnings in 2 files\n")
        }
    }

    @Test func `other places are named as the user would write them, in every format`() async throws {
        try await withTemporaryFolder { folder in
            try write("- x: !string\n\n" + Self.good, "shop/a.md", in: folder)
            try write("- x: !string 8\n\n" + Self.good, "shop/b.md", in: folder)
            try write(Self.good, "shop/B.md", in: folder)
            for format in ["text", "json", "sarif"] {
                let reply = await Reply(
                    ["lint", folder.appending(path: "shop").path, "-o", format], in: folder.path)
                #expect(reply.output.contains("here and !string at shop/a.md:1: give"), "\(format)")
                #expect(reply.output.contains("differs from shop/B.md only in case"), "\(format)")
            }
        }
    }

    @Test(arguments: ["missing", "missing.md", "shop/missing.md", "missing/a.md", "shop/a.md/b.md", ""])
    func `a path where nothing is is wrong usage`(_ path: String) async throws {
        try await withTemporaryFolder { folder in
            try write(Self.good, "shop/a.md", in: folder)
            let whole = path.isEmpty ? "" : folder.appending(path: path).path
            let reply = await Reply(["lint", whole, folder.appending(path: "shop").path])
            #expect(reply.outcome == .wrongUsage && reply.output.isEmpty)
            let what = path.isEmpty ? "a path is empty" : "there is no \(whole)"
            #expect(reply.errors == "glossctl: \(what): name a folder of definition files, or a file of one\n")
        }
    }

    @Test func `a hidden file is reported as not read`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.good, "a.md", in: folder)
            try write(Self.good, ".b.md", in: folder)
            let reply = await Reply(["lint", folder.appending(path: ".b.md").path], in: folder.path)
            #expect(
                reply.output == ".b.md:1:1: error [unreadable-file]: hidden files are not read: name it otherwise\n")
        }
    }

    @Test func `files that are no definitions are passed over with a note, and nothing else is said of them`()
        async throws
    {
        try await withTemporaryFolder { folder in
            try write(Self.good, "shop/a.md", in: folder)
            try write("# Shop\n\n- x: !strng\n", "shop/README.md", in: folder)
            let shop = folder.appending(path: "shop").path
            let note = "shop/README.md: passed over: not a definition file (ignore)\n"
            let whole = await Reply(["lint", shop, "--strict"], in: folder.path)
            #expect(whole.outcome == .done && whole.output.isEmpty)
            #expect(whole.errors == note + "0 errors, 0 warnings in 1 file\n")
            let named = await Reply(["lint", shop + "/README.md"], in: folder.path)
            #expect(named.outcome == .done && named.output.isEmpty)
            #expect(named.errors == note + "0 errors, 0 warnings in 0 files\n")
            let other = await Reply(["lint", shop + "/a.md"], in: folder.path)
            #expect(other.errors == "0 errors, 0 warnings in 1 file\n")
        }
    }

    @Test func `the settings say which files are no definitions`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.good, "shop/a.md", in: folder)
            try write(Self.bad, "shop/draft_b.md", in: folder)
            try write(Self.bad, "shop/types/draft_c.md", in: folder)
            let settings = "dictionaries: [{name: shop, path: shop, ignore: ['draft_*']}]"
            try write(settings, "gloss.yaml", in: folder)
            let reply = await Reply(["lint", "--config", folder.appending(path: "gloss.yaml").path], in: folder.path)
            #expect(reply.outcome == .done && reply.output.isEmpty)
            let notes = ["draft_b.md", "types/draft_c.md"].map {
                "shop/\($0): passed over: not a definition file (ignore)\n"
            }
            #expect(reply.errors == notes.joined() + "0 errors, 0 warnings in 1 file\n")
        }
    }

    @Test(arguments: [("types", "t.md"), ("types", "./t.md"), (".", "types/t.md"), ("types/..", "types/./t.md")])
    func `a file of types is known wherever the command is run`(place: String, path: String) async throws {
        try await withTemporaryFolder { folder in
            try write("# recipe\n\n## show\n\nText.\n\n- a: Device\n", "recipe.md", in: folder)
            try write("## Device\n\nText.\n\n- os: !string\n", "types/t.md", in: folder)
            let (status, errors) = try BuiltProgram.run(["lint", path], in: folder.appending(path: place))
            #expect(status == 0 && errors == "0 errors, 0 warnings in 1 file\n", "\(errors)")
        }
    }

    @Test func `a folder of files that are no definitions has none`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.good, "README.md", in: folder)
            let reply = await Reply(["lint", folder.path], in: folder.path)
            #expect(reply.outcome == .no)
            #expect(
                reply.output.contains(
                    "error [no-definitions]: there are no .md files in this folder but README.md, which is ignored"))
        }
    }

    @Test func `severities have colours on a terminal, unless NO_COLOR is set`() async throws {
        try await withTemporaryFolder { folder in
            try write(Self.bad, "a.md", in: folder)
            let plain = await Reply(["lint", folder.path])
            let coloured = await Reply(["lint", folder.path], isTerminal: true)
            #expect(coloured.output.contains(": \u{1B}[31merror\u{1B}[0m [list-under-text]"))
            #expect(coloured.output.replacing(/\u{1B}\[\d+m/, with: "") == plain.output)
            let refused = await Reply(["lint", folder.path], isTerminal: true, environment: ["NO_COLOR": "1"])
            #expect(refused.output == plain.output)
        }
    }

    @Test func `nothing that a file says steers the terminal`() async throws {
        try await withTemporaryFolder { folder in
            try write("## a\u{1B}[2Jb\u{202E}\n", "a.md", in: folder)
            let reply = await Reply(["lint", folder.path])
            #expect(reply.outcome == .no)
            #expect(terminalControls(in: reply.output) == [])
        }
    }

    @Test(arguments: ["json", "sarif"])
    func `what a file says is escaped in JSON on a terminal, and untouched elsewhere`(format: String) async throws {
        try await withTemporaryFolder { folder in
            try write("## a\u{9B}31mb\u{202E}\n", "a.md", in: folder)
            let shown = await Reply(["lint", folder.path, "-o", format], isTerminal: true)
            let piped = await Reply(["lint", folder.path, "-o", format])
            #expect(shown.output.contains(#"\u009b"#) && shown.output.contains(#"\u202e"#))
            #expect(!shown.output.unicodeScalars.contains { SafeText.isUnsafe($0) && $0 != "\n" })
            #expect(piped.output.contains("\u{9B}31mb\u{202E}"))
        }
    }

    @Test func `the settings give paths and types, and a path may borrow the options of a dictionary`() async throws {
        try await withTemporaryFolder { folder in
            let shop = "  - {name: shop, path: shop, types: {Order: [new]}}\n"
            try write("dictionaries:\n\(shop)  - {name: other, path: other}\n", "gloss.yaml", in: folder)
            try write(Self.good + "\n- x: Odrer\n", "shop/a.md", in: folder)
            try write(Self.good + "\n- x: Odrer\n", "other/a.md", in: folder)
            let settings = ["--config", folder.appending(path: "gloss.yaml").path]
            let all = await Reply(["lint"] + settings, in: folder.path)
            #expect(all.output.hasPrefix("shop/a.md:5:6: warning [undefined-type]"))
            #expect(all.errors == "0 errors, 1 warning in 2 files\n")
            let other = folder.appending(path: "other").path
            #expect(await Reply(["lint", other] + settings).output.isEmpty)
            #expect(await Reply(["lint", other, "--dictionary", "shop"] + settings).output.contains("undefined-type"))
            #expect(await Reply(["lint", "--dictionary", "none"] + settings).outcome == .wrongUsage)
        }
    }

    @Test func `settings without the folder say nothing of it, so the dictionary has to be named`() async throws {
        try await withTemporaryFolder { folder in
            let types = "types: {Order: [new]}"
            try write("dictionaries: [{name: shop, path: /nonexistent, \(types)}]\n", "one.yaml", in: folder)
            try write(
                "dictionaries: [{name: shop, path: shop, \(types)}, {name: other, path: other}]\n", "two.yaml",
                in: folder)
            try write("dictionaries: []\n", "none.yaml", in: folder)
            try write(Self.good + "\n- x: Order\n", "clone/a.md", in: folder)
            let clone = folder.appending(path: "clone").path
            let hint = "name the one whose options apply with --dictionary, of these"
            for (name, hint) in [
                ("one.yaml", "\(hint): shop"), ("two.yaml", "\(hint): shop, other"),
                ("none.yaml", "it has no dictionaries, so leave --config out"),
            ] {
                let file = folder.appending(path: name).path
                let commands = [
                    ["lint", clone], ["lint", "\(clone)/a.md"],
                    ["generate", "swift", clone, "--output", folder.appending(path: "out").path],
                ]
                for command in commands {
                    let reply = await Reply(command + ["--config", file])
                    #expect(reply.outcome == .wrongUsage && reply.output.isEmpty)
                    #expect(reply.errors == "glossctl: no dictionary of \(file) has the folder \(clone): \(hint)\n")
                }
            }
            let named = ["--config", folder.appending(path: "one.yaml").path, "--dictionary", "shop"]
            #expect(await Reply(["lint", clone, "--strict"] + named).outcome == .done)
        }
    }

    @Test func `settings that cannot be read are status 2`() async throws {
        try await withTemporaryFolder { folder in
            let folderItself = await Reply(["lint", "--config", folder.path])
            #expect(folderItself.outcome == .wrongUsage)
            #expect(folderItself.errors.contains("this is a folder; name the settings file in it"))
            let missing = await Reply(["lint", "--config", folder.appending(path: "missing.yaml").path])
            #expect(missing.outcome == .wrongUsage && missing.errors.contains("there is no such file"))
            let latinFile = folder.appending(path: "latin.yaml")
            try Data([UInt8(ascii: "#"), 0xE9]).write(to: latinFile)
            let latin = await Reply(["lint", "--config", latinFile.path])
            #expect(latin.outcome == .wrongUsage && latin.errors.contains("latin.yaml: error: not a UTF-8 text"))
            try write("dictionarys: []\n", "wrong.yaml", in: folder)
            let wrong = await Reply(["lint", "--config", folder.appending(path: "wrong.yaml").path])
            #expect(wrong.outcome == .wrongUsage && wrong.errors.contains("wrong.yaml:1"))
        }
    }
}
