import ArgumentParser
import Model

/// What `-n` takes: a number, or `all`.
package enum LineCount: ExpressibleByArgument, Sendable, Equatable {
    case all
    case last(Int)

    package init?(argument: String) {
        if argument == "all" {
            self = .all
        } else if let number = Int(argument), number >= 0 {
            self = .last(number)
        } else {
            return nil
        }
    }

    package var defaultValueDescription: String {
        switch self {
        case .all: "all"
        case .last(let number): String(number)
        }
    }
}
