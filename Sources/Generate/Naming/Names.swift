/// A name as each manner of writing has it: valid in the language, and no other of its scope has the same.
struct Names: Sendable, Hashable {
    var camel: String
    var pascal: String
    var snake: String
    var constant: String
}

/// What a language does not take as a name.
struct NameRules: Sendable, Hashable {
    /// Words that are written in capitals within a name, such as `id`.
    var acronyms: Set<String> = []
    /// Words that get a `_` behind them.
    var reserved: Set<String> = []
    /// The same, in one kind of scope only.
    var reservedIn: [NameScope.Kind: Set<String>] = [:]
    /// Words that are put in backticks.
    var quoted: Set<String> = []
}
