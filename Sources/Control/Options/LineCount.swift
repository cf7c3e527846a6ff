import ArgumentParser
import Model

/// The value of `-n`: a number, a number with a plus sign, or `all`.
/// - Source: journalctl(1), `--lines`
enum LineCount: ExpressibleByArgument, Sendable, Equatable {
    case all
    case last(Int)
    /// `+N`
    case first(Int)

    init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let number = Int(argument), number >= 0 {
            self = argument.hasPrefix("+") ? .first(number) : .last(number)
        } else {
            return nil
        }
    }

    var defaultValueDescription: String {
        switch self {
        case .all: "all"
        case .last(let number): String(number)
        case .first(let number): "+\(number)"
        }
    }
}
