import Model

/// Names that must differ from each other, such as those of the parameters of one event.
///
/// A name is written in the manner of the language: `tap_save_button` becomes `tapSaveButton`. Where two would
/// become the same, such as `Show` and `show`, each stays as the definitions have it, for there they differ: what a name
/// becomes does not depend on the order of the definitions. What then still is the same gets a number.
struct NameScope {
    enum Kind: String, Sendable, CaseIterable {
        case categories, events, parameters, enumerations, values
    }

    private let kind: Kind
    private let rules: IdentifierRules

    init(_ kind: Kind, _ rules: IdentifierRules) {
        self.kind = kind
        self.rules = rules
    }

    /// - Parameters:
    ///   - sources: the names, or any texts that need names. Equal ones count as one.
    ///   - taken: what other names of the same place have become already.
    func names(for sources: [String], besides taken: Set<String> = []) -> [ExactString: Names] {
        let sources = Set(exact: sources).map(\.text).sorted()
        let words = sources.map(Words.init)
        let acronyms = rules.acronyms
        let camel = unique(sources, words.map { $0.camel(acronyms) }, taken)
        let pascal = unique(sources, words.map { $0.pascal(acronyms) }, taken)
        let snake = unique(sources, words.map(\.snake), taken)
        let constant = unique(sources, words.map(\.constant), taken)
        var names: [ExactString: Names] = [:]
        for (index, source) in sources.enumerated() {
            names[source] = Names(
                camel: camel[index], pascal: pascal[index], snake: snake[index], constant: constant[index])
        }
        return names
    }

    private func unique(_ sources: [String], _ written: [String], _ taken: Set<String>) -> [String] {
        let uses = Dictionary(written.map { ($0, 1) }, uniquingKeysWith: +)
        var taken = taken
        return zip(sources, written).map { source, written in
            let name = valid(uses[written] == 1 || !canStay(source) ? written : source)
            var unique = name
            var number = 2
            while !taken.insert(unique).inserted {
                unique = "\(name)_\(number)"
                number += 1
            }
            return kind != .categories && rules.quoted.contains(unique) ? "`\(unique)`" : unique
        }
    }

    private func valid(_ name: String) -> String {
        let isDigit = name.first?.isASCII == true && name.first?.isNumber == true
        let name = isDigit ? "_\(name)" : name
        let isReserved =
            rules.reserved.contains(name) || rules.reservedIn[kind]?.contains(name) == true
            // Of categories' names, longer ones are made, in which quotation marks have no place.
            || (kind == .categories && rules.quoted.contains(name))
            || name.utf8.allSatisfy { $0 == UInt8(ascii: "_") }
        return isReserved ? "\(name)_" : name
    }

    /// Of values, not what begins with an underscore: Python's `Enum` takes `_x_` for its own.
    private func canStay(_ source: String) -> Bool {
        !source.isEmpty && !(kind == .values && source.hasPrefix("_"))
            && source.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// A name as each manner of writing has it: valid in the language, and no other of its scope has the same.
struct Names: Sendable, Hashable {
    var camel: String
    var pascal: String
    var snake: String
    var constant: String
}

/// What a language does not take as a name.
struct IdentifierRules: Sendable, Hashable {
    /// Words that are written in capitals within a name, such as `id`.
    var acronyms: Set<String> = []
    /// Words that get a `_` behind them.
    var reserved: Set<String> = []
    /// The same, in one kind of scope only.
    var reservedIn: [NameScope.Kind: Set<String>] = [:]
    /// Words that are put in backticks.
    var quoted: Set<String> = []
}

/// The name of a dictionary as it may stand in generated code and in paths, whatever the dictionary is called.
package enum DictionaryName {
    /// As settings allow them, since the name of a folder may have any character.
    private static let maximumBytes = 64

    /// - Returns: `text` with `_` for everything but ASCII letters, digits, `-` and `_`; never empty.
    package static func plain(_ text: String) -> String {
        let plain = text.unicodeScalars.prefix(maximumBytes).map { isAllowed($0) ? Character($0) : "_" }
        return plain.isEmpty ? "_" : String(plain)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
