import Definitions
import Model
import Serve

/// A dictionary's folder as the daemon loads it.
extension DictionaryFolder {
    /// What the folder gave. An error never leaves the daemon without an answer: it is told in `problem`, and the
    /// dictionary is empty then, so that its events are `undefined`.
    struct Loaded: Sendable {
        var dictionary: LoadedDictionary
        /// What the definitions' authors should mend, `path:line: warning: …` each.
        var warnings: [String] = []
    }

    static func load(_ options: DictionaryOptions, nowMicroseconds: UInt64) -> Loaded {
        do throws(DictionaryError) {
            let (dictionary, warnings) = try load(options)
            return Loaded(
                dictionary: LoadedDictionary(dictionary: dictionary, loadedAtMicroseconds: nowMicroseconds),
                warnings: warnings.map { $0.description(in: options.path) })
        } catch {
            let problem = error.problems.map { $0.description(in: options.path) }.joined(separator: "\n")
            let empty = EventDictionary(options: options, version: "", common: [], categories: [])
            return Loaded(
                dictionary: LoadedDictionary(
                    dictionary: empty, loadedAtMicroseconds: nowMicroseconds, problem: problem))
        }
    }
}
