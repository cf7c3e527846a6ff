/// What was looked at, and what was found.
struct DoctorFinding: Equatable {
    enum State: Equatable {
        case good, note, wrong

        var mark: String {
            switch self {
            case .good: "✓"
            case .note: "·"
            case .wrong: "✗"
            }
        }

        var tint: Tint {
            switch self {
            case .good: .good
            case .note: .warning
            case .wrong: .bad
            }
        }
    }

    var state: State
    var what: String
    var found: String
    var advice: String?

    init(_ state: State, _ what: String, _ found: String = "", advice: String? = nil) {
        (self.state, self.what, self.found, self.advice) = (state, what, found, advice)
    }
}
