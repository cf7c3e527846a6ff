package import Model

/// A version of a dictionary that stored events were resolved with.
package struct DictionaryVersionID: Sendable, Hashable, CustomStringConvertible {
    @Exact package var dictionary: String
    @Exact package var version: String

    package init(dictionary: String, version: String) {
        self.dictionary = dictionary
        self.version = version
    }

    /// - Returns: `nil` when no dictionary covers such events.
    init?(of kind: EventKind) {
        guard let dictionary = kind.dictionary, let version = kind.definitionsVersion else { return nil }
        self.init(dictionary: dictionary, version: version)
    }

    package var description: String { "\(dictionary)/\(version)" }

    func isOf(_ kind: EventKind) -> Bool { kind.dictionary == dictionary && kind.definitionsVersion == version }
}
