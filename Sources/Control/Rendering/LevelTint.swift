import Model

extension Level {
    /// More severe levels have stronger colours.
    var tint: Tint {
        switch self {
        case .emerg, .alert, .crit, .err: .bad
        case .warning: .warning
        case .notice: .heading
        case .info: .plain
        case .debug: .faint
        }
    }
}

extension Resolution {
    var tint: Tint {
        switch self {
        case .resolved: .good
        case .violating: .bad
        case .undefined: .warning
        case .unkeyed: .note
        case .plain: .faint
        case .malformed: .accent
        }
    }

    /// A mark of one column, if the name does not fit.
    var mark: String {
        switch self {
        case .resolved: "✓"
        case .violating: "✗"
        case .undefined: "?"
        case .unkeyed: "-"
        case .plain: " "
        case .malformed: "!"
        }
    }
}
