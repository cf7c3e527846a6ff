import Definitions
import Model

/// The files of one dictionary, as a command was asked for them.
struct DefinitionSet: Sendable {
    var options: DictionaryOptions
    /// All files of the folder, also when only some are asked for: rules and common parameters go across files.
    var files: [DefinitionFile]
    /// What is wrong with files that were not read.
    var unread: [DefinitionProblem]
    /// The files that are asked for; `nil` for all of them.
    var only: Set<ExactString>?
    /// How the folder is shown: relative to where the user stands, empty for that very place.
    var shownFolder: String

    init(folder: String, only: Set<ExactString>?, options: DictionaryOptions, _ console: ToolConsole) {
        self.options = options
        self.only = only
        shownFolder = Self.shown(folder, from: console.folder)
        let contents = DictionaryFolder.contents(of: folder)
        files = contents.files
        unread = contents.problems
    }

    /// The dictionary of all the files.
    /// - Throws: when anything is an error; all problems are in it.
    func parse() throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        guard !unread.hasErrors else { throw DictionaryError(problems: unread) }
        do {
            return try DictionaryParser.parse(files, options: options)
        } catch {
            throw DictionaryError(problems: error.problems.map(shown))
        }
    }

    /// A problem that names other places as the user would write them.
    func shown(_ problem: DefinitionProblem) -> DefinitionProblem {
        shownFolder.isEmpty ? problem : problem.naming(shownFolder)
    }

    /// Whether the folder has such a file, be it unreadable.
    func isKnown(_ name: String) -> Bool {
        files.contains { $0.name == name } || unread.contains { $0.file == name }
    }

    /// A problem's file as the user would write it.
    func path(of problem: DefinitionProblem) -> String {
        if problem.file == options.path { return shownFolder.isEmpty ? "." : shownFolder }
        return shownFolder.isEmpty ? problem.file : "\(shownFolder)/\(problem.file)"
    }

    private static func shown(_ folder: String, from here: String) -> String {
        if folder == "." || folder == here { return "" }
        if let rest = folder.rest(after: "./") { return String(rest) }
        return here.isEmpty ? folder : folder.rest(after: here + "/").map { String($0) } ?? folder
    }
}
