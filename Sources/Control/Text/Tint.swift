import Model

/// The role of a piece of text, which determines its colour.
enum Tint: Sendable, Equatable {
    case plain, heading, faint, good, note, warning, bad, accent, match, highlight
    /// One of several colours that mean nothing, to distinguish things.
    case kind(number: Int)

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
        case .kind(let number): "1;\(Self.kindCodes[number % Self.kindCodes.count])"
        }
    }

    /// In bold, unlike the colours that mean something. Red and yellow are left out, since they say that something is wrong.
    private static let kindCodes = [34, 94, 36, 96, 32, 35, 95]

    /// The colour of a kind of events: always the same for the same name.
    static func kind(_ name: String) -> Tint {
        .kind(number: Int(FNV1a(Array(name.utf8)).value % UInt64(kindCodes.count)))
    }
}
