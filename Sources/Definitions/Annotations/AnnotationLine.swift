import Model

/// A nested list item that Gloss interprets, rather than a description of the parameter. The spelling is exact: one
/// line, lower case, nothing before or after.
enum AnnotationLine {
    case privacy(Privacy)
    case values([String])
    case role(ParameterRole)

    init?(_ text: String) {
        // Most lines are descriptions. The letters begin device, privacy, user and values.
        guard let first = text.utf8.first, "dpuv".utf8.contains(first) else { return nil }
        if let role = ParameterRole(rawValue: text) {
            self = .role(role)
        } else if let privacy = text.rest(after: "privacy: ").flatMap({ Privacy(rawValue: String($0)) }) {
            self = .privacy(privacy)
        } else if let values = text.rest(after: "values: ") {
            let parts = values.split(separator: ",", omittingEmptySubsequences: false)
            self = .values(parts.map(\.trimmed))
        } else {
            return nil
        }
    }
}

extension AnnotationLine {
    /// A line that was certainly or probably meant to be an annotation but is not one.
    struct Misspelling {
        var suggestion: String
        /// An error if values might be stored unprotected because of it, otherwise a warning.
        var severity: DefinitionProblem.Severity
    }

    static func misspelling(_ text: String) -> Misspelling? {
        guard let words = AnnotationWords(text) else { return nil }
        let key = words.key
        switch words.mark {
        case nil:
            switch key {
            case "private", "public", "hash", "hashed":
                return Misspelling(suggestion: "privacy: \(key == "hashed" ? "hash" : key)", severity: .warning)
            case "user", "device": return Misspelling(suggestion: key, severity: .warning)
            default: return nil
            }
        case ":", "=":
            if key[...].isNear("privacy") {
                let known = Privacy.allCases.first { words.value.hasPrefix($0.rawValue) } ?? .private
                let isProse = words.value.contains { $0.isWhitespace }
                return Misspelling(suggestion: "privacy: \(known.rawValue)", severity: isProse ? .warning : .error)
            }
            return key == "values" || key == "value" ? Misspelling(suggestion: "values: a, b", severity: .warning) : nil
        default:
            guard key[...].isNear("privacy"), let known = words.privacy else { return nil }
            return Misspelling(suggestion: "privacy: \(known.rawValue)", severity: .error)
        }
    }

    /// Whether the line only states a privacy, in any case, width or decoration.
    static func saysPrivacy(_ text: String) -> Bool {
        guard let words = AnnotationWords(text) else { return false }
        return words.key == "privacy" && words.mark != nil && words.privacy != nil
    }
}

extension Substring {
    /// Whether the texts differ in at most two characters, between their common beginning and end.
    fileprivate func isNear(_ word: String) -> Bool {
        guard abs(count - word.count) <= 2 else { return false }
        let front = zip(self, word).prefix { $0 == $1 }.count
        let back = zip(self.dropFirst(front).reversed(), word.dropFirst(front).reversed()).prefix { $0 == $1 }.count
        return Swift.max(count, word.count) - front - back <= 2
    }
}
