/// The role of a piece of text, which determines its colour.
package enum Tint: Sendable {
    case plain, heading, faint, good, note, warning, bad, accent, match, highlight

    /// The parameters of SGR, the escape sequence for colours. Only the sixteen colours that every theme defines are
    /// used.
    /// - Source: ECMA-48, 8.3.117
    var code: String? {
        switch self {
        case .plain: nil
        case .heading: "1"
        case .faint: "2"
        case .good: "32"
        case .note: "36"
        case .warning: "33"
        case .bad: "31"
        case .accent: "35"
        case .match: "1;31"  // as grep
        case .highlight: "7"
        }
    }
}
