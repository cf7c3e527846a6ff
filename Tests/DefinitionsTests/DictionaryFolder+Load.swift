import Definitions
import Model

extension DictionaryFolder {
    /// Reads and parses the folder of `options`.
    /// - Throws: `DictionaryError` with all problems when any of them is an error.
    static func load(
        _ options: DictionaryOptions
    ) throws(DictionaryError) -> (dictionary: EventDictionary, warnings: [DefinitionProblem]) {
        let read = contents(of: options.path, ignore: options.ignore)
        let (dictionary, problems) =
            read.problems.hasErrors ? (nil, []) : DictionaryParser.read(read.files, options: options)
        let all = (read.problems + problems).inOrder
        guard let dictionary, !all.hasErrors else { throw DictionaryError(problems: all) }
        return (dictionary, all)
    }
}
