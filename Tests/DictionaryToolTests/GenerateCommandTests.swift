import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DictionaryTool

struct GenerateCommandTests {
    private struct Run {
        var status: ToolOutcome
        var output: String
        var errors: String
    }

    private func generate(_ arguments: String...) async -> Run {
        let output = Collected()
        let errors = Collected()
        let console = ToolConsole(output: output.add, errors: errors.add)
        let status = await DictionaryCommand.run(["generate"] + arguments, on: console)
        return Run(status: status, output: output.text, errors: errors.text)
    }

    private final class Collected: Sendable {
        private let pieces = Mutex("")
        @Sendable func add(_ text: String) { pieces.withLock { $0 += text } }
        var text: String { pieces.withLock { $0 } }
    }

    private func withDefinitions(_ text: String, _ body: (_ definitions: String, _ output: String) async throws -> Void)
        async throws
    {
        try await withTemporaryFolder { folder in
            let definitions = folder.appending(path: "definitions")
            try FileManager.default.createDirectory(at: definitions, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: definitions.appending(path: "a.md"))
            try await body(definitions.path, folder.appending(path: "out").path)
        }
    }

    @Test(arguments: ["swift", "python", "json-schema"])
    func `files are written, and --check is content until the definitions change`(language: String) async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let stale = await generate(language, definitions, "--output", output, "--check")
            #expect(stale.status == .no && stale.output.hasPrefix("missing: \(output)/"))
            #expect(stale.errors == "glossctl: \(output) is stale: run the same command without --check\n")
            #expect(!FileManager.default.fileExists(atPath: output))

            let written = await generate(language, definitions, "--output", output)
            #expect(written.status == .done && written.output.hasSuffix("files written, 0 removed\n"))
            let fresh = await generate(language, definitions, "--output", output, "--check")
            #expect(fresh.status == .done && fresh.output.isEmpty && fresh.errors.isEmpty)

            try Data("## hide\n\nHidden.\n".utf8).write(to: URL(filePath: "\(definitions)/b.md"))
            try Data("- screen: !string\n".utf8).write(to: URL(filePath: "\(definitions)/common.md"))
            try FileManager.default.removeItem(atPath: "\(definitions)/a.md")
            let changed = await generate(language, definitions, "--output", output, "--check")
            #expect(changed.status == .no)
            for word in ["stale: ", "missing: ", "left over: "] { #expect(changed.output.contains(word)) }
            let again = await generate(language, definitions, "--output", output)
            #expect(again.status == .done && again.output.hasSuffix(", 1 removed\n"))
            #expect(await generate(language, definitions, "--output", output, "--check").status == .done)
        }
    }

    @Test func `definitions with errors are reported as lint reports them, and nothing is written`() async throws {
        try await withDefinitions("## show\n\nShown.\n\n- a: !strin\n") { definitions, output in
            let run = await generate("swift", definitions, "--output", output)
            #expect(run.status == .no)
            #expect(run.errors.hasPrefix("\(definitions)/a.md:5:"))
            #expect(run.errors.contains(": error [") && run.errors.contains("there is no type `!strin`"))
            #expect(run.errors.hasSuffix("glossctl: nothing is generated from definitions with errors\n"))
            #expect(!FileManager.default.fileExists(atPath: output))
        }
    }

    @Test func `nothing that files say steers the terminal`() async throws {
        try await withDefinitions("## show\n\nShown.\n\n- a: !strin\u{1B}[2J\u{202E}\n") { definitions, output in
            try Data("## x\u{1B}]0;owned\u{7}\n".utf8).write(to: URL(filePath: "\(definitions)/b\u{1B}[1m.md"))
            let run = await generate("swift", definitions, "--output", output)
            #expect(run.status == .no)
            #expect(run.errors.contains(#"b\u001b[1m.md"#))
            #expect(terminalControls(in: run.errors) == [])
            let failed = await generate("swift", definitions, "--output", output, "--dictionary", "\u{1B}[2J")
            #expect(failed.status == .wrongUsage && !failed.errors.contains("\u{1B}"))
        }
    }

    @Test func `left-over files with strange names are listed on one line`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            _ = await generate("python", definitions, "--output", output)
            let file = try String(contentsOfFile: "\(output)/a.py", encoding: .utf8)
            try Data(file.utf8).write(to: URL(filePath: "\(output)/b\u{1B}[2J\nc.py"))
            let run = await generate("python", definitions, "--output", output, "--check")
            #expect(run.output == "left over: \(output)/" + #"b\u001b[2J\nc.py"# + "\n")
        }
    }

    @Test func `the name of a folder becomes no code`() async throws {
        try await withTemporaryFolder { folder in
            let definitions = folder.appending(path: "x\"\"\"+run()+\"\"\"")
            try FileManager.default.createDirectory(at: definitions, withIntermediateDirectories: true)
            try Data("## show\n\nShown.\n".utf8).write(to: definitions.appending(path: "a.md"))
            let output = folder.appending(path: "out").path
            let run = await generate("python", definitions.path, "--output", output)
            #expect(run.status == .done, "\(run.errors)")
            let text = try String(contentsOfFile: "\(output)/__init__.py", encoding: .utf8)
            #expect(text.contains("\n\"\"\"The events of the dictionary \"x____run______\": "))
        }
    }

    @Test func `two dictionaries with one folder are refused, and nothing is lost`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let other = "\(definitions)-2"
            try FileManager.default.copyItem(atPath: definitions, toPath: other)
            #expect(await generate("swift", definitions, "--output", output).status == .done)
            let run = await generate("swift", other, "--output", output)
            #expect(run.status == .no)
            #expect(run.errors.contains("was generated from another dictionary, or for another language"))
            #expect(await generate("swift", definitions, "--output", output, "--check").status == .done)
        }
    }

    @Test func `a template of the user's is a language of its own`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let template = "\(definitions)/../mine.mustache"
            try Data("{{! output: {category}.txt }}\n# {{header}}\n".utf8).write(to: URL(filePath: template))
            let run = await generate("mine", definitions, "--output", output, "--template", template)
            #expect(run.status == .done && run.errors.isEmpty)
            let text = try String(contentsOfFile: "\(output)/a.txt", encoding: .utf8)
            #expect(text.hasPrefix("# Generated by Gloss (mine) from the dictionary definitions. Do not edit: "))
        }
    }

    @Test func `what is wrong with a template is reported with its path`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let folder = "\(definitions)/../templates"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let file = "\(folder)/mine.mustache"
            try Data("{{! output: x.txt }}\n// {{header}}\n{{#foo}}\nhello".utf8).write(to: URL(filePath: file))
            for template in [file, folder, folder + "/"] {
                let run = await generate("mine", definitions, "--output", output, "--template", template)
                #expect(run.status == .wrongUsage)
                #expect(
                    run.errors == "glossctl: \(file):3: the section `{{#foo}}` is not closed: write {{/foo}}\n")
            }
        }
    }

    @Test(arguments: ["no header", "# {{header}}\n{{#categories}}{{> mine}}{{/categories}}"])
    func `what is wrong with a template only when it is rendered is wrong usage, too`(text: String) async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let template = "\(definitions)/../mine.mustache"
            try Data("{{! output: all.txt }}\n\(text)\n".utf8).write(to: URL(filePath: template))
            let run = await generate("mine", definitions, "--output", output, "--template", template)
            #expect(run.status == .wrongUsage && run.errors.hasPrefix("glossctl: \(template): "), "\(run.errors)")
        }
    }

    @Test func `what cannot be written is reported in the system's words`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            // A file in the folder's place stops the superuser, too.
            try Data().write(to: URL(filePath: output))
            let run = await generate("python", definitions, "--output", "\(output)/out")
            #expect(run.status == .no)
            #expect(run.errors.hasSuffix(" cannot be written: Not a directory\n"), "\(run.errors)")
        }
    }

    @Test func `wrong usage is status 2 and says what to write`() async throws {
        try await withDefinitions("## show\n\nShown.\n") { definitions, output in
            let unknown = await generate("cobol", definitions, "--output", output)
            #expect(unknown.status == .wrongUsage)
            #expect(
                unknown.errors
                    == "glossctl: `cobol` is not built in, only swift, python, json-schema: give it a --template\n")
            let taken = await generate("swift", definitions, "--output", output, "--template", definitions)
            #expect(taken.status == .wrongUsage)
            let none = await generate("mine", definitions, "--output", output, "--template", definitions)
            #expect(none.status == .wrongUsage && none.errors.contains("there is no *.mustache in"))
            let file = await generate("swift", "\(definitions)/a.md", "--output", output)
            #expect(file.status == .wrongUsage && file.errors.contains("name the folder, not single files"))
            let two = await generate("swift", definitions, "\(definitions)/..", "--output", output)
            #expect(two.status == .wrongUsage && two.errors.contains("there are 2 dictionaries"))
            #expect(await generate("swift", definitions).status == .wrongUsage)
        }
    }
}
