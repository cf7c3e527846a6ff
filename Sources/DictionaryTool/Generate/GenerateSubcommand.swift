import ArgumentParser
import Definitions
import Foundation
import Generate
import Model

/// `glossctl generate`: writes code for the events of a dictionary.
struct GenerateSubcommand: DictionarySubcommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Write type-safe code for the events of a dictionary.",
        discussion: """
            Built in are swift, python and json-schema; --template makes anything else. Only files that the same \
            generator has written before are written over or removed.

            Examples:
              glossctl generate swift definitions --output Sources/Events
              glossctl generate python --dictionary shop --output events
              glossctl generate json-schema definitions --output schemas
              glossctl generate kotlin definitions --template kotlin.mustache --output src
              glossctl generate swift definitions --output Sources/Events --check
            """)

    @Argument(
        help: ArgumentHelp(
            "swift, python or json-schema; with --template, any name, which the files then carry.",
            valueName: "language"),
        completion: .list(TemplateSet.BuiltIn.allCases.map(\.rawValue)))
    var language: String

    @OptionGroup var source: DictionarySource

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The folder that the files are written into; it is created if it does not exist.", valueName: "dir"),
        completion: .directory)
    var output: String

    @Option(
        help: ArgumentHelp("A Mustache template of your own, or a folder of them.", valueName: "path"),
        completion: .file(extensions: ["mustache"]))
    var template: String?

    @Flag(help: "Write nothing; exit with status 1 when something would be written or removed, and say what.")
    var check = false

    func validate() throws {
        if output.isEmpty { throw ValidationError("--output is empty: name a folder, or . for the current one.") }
    }

    func run(on console: ToolConsole) async throws {
        let templates = try failing { try self.templates() }
        let dictionary = try self.dictionary(console)
        let files = try failing { try Generator(templates).files(for: dictionary) }
        let folder = OutputFolder(output, of: templates, from: dictionary.options.name)
        if check {
            try report(try failing { try folder.differences(from: files) }, console)
        } else {
            let done = try failing { try folder.write(files) }
            try console.output(summary(of: done, files: files.count) + "\n")
        }
    }

    private func templates() throws -> TemplateSet {
        let builtIn = TemplateSet.BuiltIn(rawValue: language)
        guard let template else {
            guard let builtIn else {
                let all = TemplateSet.BuiltIn.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandFailure(.wrongUsage, "`\(language)` is not built in, only \(all): give it a --template")
            }
            return try TemplateSet(builtIn: builtIn)
        }
        let isName = language.utf8.allSatisfy { $0.isNameByte || $0 == UInt8(ascii: ".") }
        guard builtIn == nil, isName else {
            throw CommandFailure(
                .wrongUsage, "`\(language)` cannot be the name of a template: choose another, of letters, digits and -")
        }
        let paths = try TemplateFiles.paths(template)
        return try TemplateSet(name: language, templates: paths.mapValues(TemplateFiles.text), paths: paths)
    }

    private func dictionary(_ console: ToolConsole) throws -> EventDictionary {
        let sets = try source.sets(console)
        guard sets.count == 1, let set = sets.first else {
            let names = sets.map(\.options.name).joined(separator: ", ")
            throw CommandFailure(
                .wrongUsage, "there are \(sets.count) dictionaries, \(names): name one with --dictionary, or one folder"
            )
        }
        guard set.only == nil else {
            throw CommandFailure(
                .wrongUsage, "code is generated from a dictionary as a whole: name the folder, not single files")
        }
        do {
            return try set.parse().dictionary
        } catch {
            for problem in error.problems where problem.severity == .error {
                let finding = LintReport.Finding(path: set.path(of: problem), problem: problem)
                console.errors("\(finding.line(inColour: false))\n")
            }
            throw CommandFailure(.no, "nothing is generated from definitions with errors")
        }
    }

    private func report(_ differences: [OutputFolder.Difference], _ console: ToolConsole) throws {
        guard !differences.isEmpty else { return }
        for difference in differences {
            switch difference {
            case .missing(let path): try console.output("missing: \(place(path))\n")
            case .changed(let path): try console.output("stale: \(place(path))\n")
            case .leftOver(let path): try console.output("left over: \(place(path))\n")
            }
        }
        throw CommandFailure(.no, "\(output) is stale: run the same command without --check")
    }

    private func summary(of done: [OutputFolder.Difference], files: Int) -> String {
        let removed = done.count { if case .leftOver = $0 { true } else { false } }
        let written = done.count - removed
        let folder = SafeText.neutralised(output)
        return "\(folder): \(written) of \(files) \(files == 1 ? "file" : "files") written, \(removed) removed"
    }

    private func place(_ path: String) -> String {
        SafeText.neutralised(output.hasSuffix("/") ? output + path : "\(output)/\(path)")
    }

    private func failing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as GenerateError {
            throw CommandFailure(error.cause == .templates ? .wrongUsage : .no, SafeText.neutralised(error.description))
        }
    }
}

/// Reads users' own templates.
enum TemplateFiles {
    private static let ending = ".mustache"

    /// - Parameter path: a template, or a folder of templates.
    /// - Returns: the paths by name. The name is the file's name without `.mustache`.
    static func paths(_ path: String) throws(CommandFailure) -> [String: String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw CommandFailure(.wrongUsage, "there is no template at \(path)")
        }
        guard isFolder.boolValue else { return [name(of: path): path] }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var paths: [String: String] = [:]
        for file in files where file.hasSuffix(ending) && !file.hasPrefix(".") {
            paths[name(of: file)] = path.hasSuffix("/") ? path + file : "\(path)/\(file)"
        }
        guard !paths.isEmpty else { throw CommandFailure(.wrongUsage, "there is no *\(ending) in \(path)") }
        return paths
    }

    static func text(_ path: String) throws(CommandFailure) -> String {
        guard let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8)
        else {
            throw CommandFailure(.wrongUsage, "the template \(path) cannot be read as UTF-8")
        }
        return text
    }

    private static func name(of path: String) -> String {
        let file = path.split(separator: "/").last.map(String.init) ?? path
        return file.hasSuffix(ending) ? String(file.dropLast(ending.count)) : file
    }
}
