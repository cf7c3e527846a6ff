import Model

/// Creates names that must differ from each other, such as those of the parameters of one event.
///
/// A name is written in the style of the language: `tap_save_button` becomes `tapSaveButton`. If two names would become
/// equal, such as `Show` and `show`, each stays as it is in the definitions, where they differ. Those that are no names in
/// the language are spelled: `a-b` and `a b` become `a_u2d_b` and `a_u20_b`. So a name does not depend on the order of the
/// definitions.
/// Names that are equal even then get a number.
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
    ///   - taken: the names that are already used in the same place. In backquotes they are the same names.
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
        let repeated = zip(sources, written).filter { uses[$1] != 1 }
        let staying = Set(repeated.lazy.map(\.0).filter(canStay))
        let others = Dictionary(repeated.filter { !canStay($0.0) }.map { ($0.1, 1) }, uniquingKeysWith: +)
        var taken = Set(taken.map(\.withoutBackquotes))
        return zip(sources, written).map { source, written in
            let isFree = uses[written] == 1 || (others[written] == 1 && !staying.contains(written))
            let name = valid(canStay(source) && uses[written] != 1 ? source : isFree ? written : Words.spelled(source))
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
            // Longer names are made of categories' names, and backticks cannot be within them.
            || (kind == .categories && rules.quoted.contains(name))
            || name.utf8.allSatisfy { $0 == UInt8(ascii: "_") }
        return isReserved ? "\(name)_" : name
    }

    /// Whether the source is valid as a name. A value must not begin with an underscore: Python's `Enum` reserves
    /// `_x_`; and no name with two, which Python's classes change.
    private func canStay(_ source: String) -> Bool {
        !source.isEmpty && !source.hasPrefix("__")
            && !(kind == .values && (source.hasPrefix("_") || source.hasSuffix("_")))
            && source.utf8.allSatisfy(\.isWordByte)
    }
}

/// A name in each style. It is valid in the language, and unique in its scope.
struct Names: Sendable, Hashable {
    var camel: String
    var pascal: String
    var snake: String
    var constant: String
}

extension String {
    /// A name as it is where keywords need no backquotes.
    var withoutBackquotes: String { filter { $0 != "`" } }
}

/// The words that a language does not accept as names.
struct IdentifierRules: Sendable, Hashable {
    /// Words that are written in capitals within a name, such as `id`.
    var acronyms: Set<String> = []
    /// Words to which `_` is appended.
    var reserved: Set<String> = []
    /// Words to which `_` is appended in one kind of scope.
    var reservedIn: [NameScope.Kind: Set<String>] = [:]
    /// Words that are put in backticks.
    var quoted: Set<String> = []
}

/// The name of a dictionary in a form that is safe in generated code and in paths.
package enum DictionaryName {
    /// The limit that the settings have too, since the name of a folder may be longer.
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
