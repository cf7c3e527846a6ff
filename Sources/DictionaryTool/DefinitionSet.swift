import Definitions
import Model

/// The files of one dictionary that a command works on.
struct DefinitionSet: Sendable {
    var options: DictionaryOptions
    /// All files of the folder, even if only some were requested: rules and common parameters concern several files.
    var files: [DefinitionFile]
    /// The problems of files that were not read.
    var unread: [DefinitionProblem]
    /// The names of files that the settings ignore.
    var ignored: [String]
    /// The requested files; `nil` for all of them.
    var only: Set<ExactString>?
    /// The folder as it is shown: relative to the working folder, and empty for that folder itself.
    var shownFolder: String

    init(folder: String, only: Set<ExactString>?, options: DictionaryOptions, _ console: ToolConsole) {
        self.options = options
        self.only = only
        shownFolder = Self.shown(folder, from: console.folder)
        let contents = DictionaryFolder.contents(of: folder, ignore: options.ignore)
        files = contents.files
        unread = contents.problems
        ignored = contents.ignored
    }

    /// Parses the dictionary from all files.
    /// - Throws: `DictionaryError` with all problems when any of them is an error.
    func parse() throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        guard !unread.hasErrors else { throw DictionaryError(problems: unread) }
        do {
            return try DictionaryParser.parse(files, options: options)
        } catch {
            throw DictionaryError(problems: error.problems.map(shown))
        }
    }

    /// Returns a problem with the paths that it mentions as the user would write them.
    func shown(_ problem: DefinitionProblem) -> DefinitionProblem {
        shownFolder.isEmpty ? problem : problem.naming(shownFolder)
    }

    /// Whether the folder has such a file, even if it cannot be read.
    func isKnown(_ name: String) -> Bool {
        files.contains { $0.name == name } || unread.contains { $0.file == name }
    }

    /// Returns the path of a problem's file as the user would write it.
    func path(of problem: DefinitionProblem) -> String {
        if problem.file == options.path { return shownFolder.isEmpty ? "." : shownFolder }
        return path(of: problem.file)
    }

    private func path(of file: String) -> String { shownFolder.isEmpty ? file : "\(shownFolder)/\(file)" }

    /// Says of each requested file that is ignored that it is, one line each.
    var notes: [String] {
        ignored.filter { only?.contains($0) ?? true }
            .map { "\(path(of: $0)): passed over: not a definition file (ignore)" }
    }

    private static func shown(_ folder: String, from here: String) -> String {
        if folder == "." || folder == here { return "" }
        if let rest = folder.rest(after: "./") { return String(rest) }
        return here.isEmpty ? folder : folder.rest(after: here + "/").map { String($0) } ?? folder
    }
}
