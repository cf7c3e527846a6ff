import Model

/// A nested list item that says something Gloss acts on, rather than describe a parameter. The spelling is exact: one
/// line, lower case, nothing before or after.
enum AnnotationLine: Hashable {
    case privacy(Privacy)
    case values([String])
    case role(ParameterRole)
    case indexed

    init?(_ text: String) {
        // Most lines are descriptions.
        guard let first = text.utf8.first, "dipuv".utf8.contains(first) else { return nil }
        if text == "indexed" {
            self = .indexed
        } else if let role = ParameterRole(rawValue: text) {
            self = .role(role)
        } else if let privacy = text.rest(after: "privacy: ").flatMap({ Privacy(rawValue: String($0)) }) {
            self = .privacy(privacy)
        } else if let values = text.rest(after: "values: ") {
            self = .values(values.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed))
        } else {
            return nil
        }
    }

    /// What two of the same kind in one parameter contradict each other in, or repeat.
    var kind: String {
        switch self {
        case .privacy: "privacy"
        case .values: "values"
        case .role: "role"
        case .indexed: "indexed"
        }
    }
}

extension AnnotationLine {
    /// A line that was surely, or probably, meant to be an annotation and is none.
    struct Misspelling {
        var suggestion: String
        /// An error where what was to be protected would not be.
        var severity: DefinitionProblem.Severity
    }

    static func misspelling(_ text: String) -> Misspelling? {
        guard mayBeMisspelled(text.utf8) else { return nil }
        let plain = text.lowercased().replacing("：", with: ":")
        let key = plain.prefix { $0.isLetter }
        let rest = plain.dropFirst(key.count).drop { $0 == " " }
        if let mark = rest.first {
            guard ":=".contains(mark) else { return nil }
            if key.isNear("privacy") {
                let value = String(rest.dropFirst()).trimmed
                let known = Privacy.allCases.first { value.hasPrefix($0.rawValue) } ?? .private
                let isProse = value.contains { $0.isWhitespace }
                return Misspelling(suggestion: "privacy: \(known.rawValue)", severity: isProse ? .warning : .error)
            }
            guard ["values", "value"].contains(key) else { return nil }
            return Misspelling(suggestion: "values: a, b", severity: .warning)
        }
        switch key {
        case "private", "public", "hash", "hashed":
            return Misspelling(suggestion: "privacy: \(key == "hashed" ? "hash" : key)", severity: .warning)
        case "user", "device", "indexed": return Misspelling(suggestion: String(key), severity: .warning)
        case "index": return Misspelling(suggestion: "indexed", severity: .warning)
        default: return nil
        }
    }

    /// Whether it is one ASCII word, alone or before a colon or equals sign: nearly all descriptions are not. A long
    /// text is a description in any case.
    private static func mayBeMisspelled(_ text: String.UTF8View) -> Bool {
        let word = text.prefix { Name.isWordByte($0) }
        guard (4...9).contains(word.count), text.count <= 200 else { return false }
        guard let mark = text[word.endIndex...].first(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return mark == UInt8(ascii: ":") || mark == UInt8(ascii: "=") || mark == 0xEF
    }
}

extension String {
    fileprivate func rest(after prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        let front = drop { $0.isWhitespace }
        return String(front.prefix(front.count - front.reversed().prefix { $0.isWhitespace }.count))
    }
}

extension Substring {
    /// Whether at most two letters are wrong, missing or too many: the letters at both ends that agree leave so few.
    fileprivate func isNear(_ word: String) -> Bool {
        guard abs(count - word.count) <= 2 else { return false }
        let front = zip(self, word).prefix { $0 == $1 }.count
        let back = zip(self.dropFirst(front).reversed(), word.dropFirst(front).reversed()).prefix { $0 == $1 }.count
        return Swift.max(count, word.count) - front - back <= 2
    }
}
