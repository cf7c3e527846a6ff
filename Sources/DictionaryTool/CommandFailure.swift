/// How a command ended.
package enum Outcome: Int32, Sendable {
    case done = 0
    /// The answer is "no": there are mistakes, or what was generated is stale.
    case no = 1
    case wrongUsage = 2
}

/// Why a command ends otherwise than well.
struct CommandFailure: Error {
    var outcome: Outcome
    /// For the error output; `nil` when everything has been said.
    var message: String?

    init(_ outcome: Outcome, _ message: String? = nil) {
        self.outcome = outcome
        self.message = message
    }
}
