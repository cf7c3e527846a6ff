/// A test of a text, or of a value in a payload: the text of a JSON string, or the JSON text of another value.
package enum TextTest: Sendable, Hashable, Codable {
    /// There is one, and it is not null.
    case exists
    /// It is one of these.
    case among(Set<ExactString>, ignoresCase: Bool = false)
    /// It is before or behind another: numbers and versions by their size, other texts by their bytes.
    case ordered(Order, ExactString)
    /// It is this number, to fifteen digits, or a text that is, or `true` for 1 and `false` for 0.
    case number(Double)
    case matches(Match, ExactString, ignoresCase: Bool = false)

    package enum Order: String, Sendable, CaseIterable, Codable {
        case less = "<"
        case atMost = "<="
        case greater = ">"
        case atLeast = ">="
    }

    package enum Match: String, Sendable, CaseIterable, Codable {
        /// Has the text; of an array: has it as an element.
        case contains
        case beginsWith = "beginswith"
        case endsWith = "endswith"
        /// A `Glob` for the whole text.
        case like
        /// A regular expression of PCRE2 that is found in the text.
        case matches
    }
}

extension TextTest {
    /// Finds a regular expression. As in `journalctl --grep`, upper and lower case make no difference unless it has an
    /// upper-case letter of ASCII.
    /// - Source: pattern_compile_and_log() in systemd, which looks for `[[:upper:]]` in bytes
    package init(grep pattern: String) {
        let ignoresCase = !pattern.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        // Bytes are compared, which is much faster.
        let isPlain = !pattern.utf8.contains { #"\^$.|?*+()[]{}"#.utf8.contains($0) }
        self = .matches(isPlain ? .contains : .matches, ExactString(pattern), ignoresCase: ignoresCase)
    }

    /// The tests of which one is passed by a text that one of the patterns of `*` and `?` matches.
    package static func like(_ patterns: [String], ignoresCase: Bool = false) -> [TextTest] {
        let exact = patterns.filter { Glob($0).exactText != nil }
        let others = patterns.filter { Glob($0).exactText == nil }
        return (exact.isEmpty ? [] : [.among(Set(exact: exact), ignoresCase: ignoresCase)])
            + others.map { .matches(.like, ExactString($0), ignoresCase: ignoresCase) }
    }
}
