internal import Store

/// What keeps watches from going on now: each failure is reported once, for as long as it stays the same.
struct WatchFailures {
    private let report: @Sendable (String) -> Void
    private var counting: Step
    private var saving: Step

    private struct Step {
        /// What does not go on.
        let usual: String
        /// The same of the failure that lasts, if more is known.
        var what: String?
        var error: StoreError?

        var current: (sentence: String, error: StoreError)? {
            error.map { ("\(what ?? usual) now, and will go on where they are: \($0)", $0) }
        }
    }

    /// - Parameters:
    ///   - what: what does not go on, as in "Alerts do not look at events".
    ///   - saving: what does not if only saving fails; `nil` for the same.
    ///   - report: gets the sentence.
    init(_ what: String, saving: String? = nil, report: @escaping @Sendable (String) -> Void) {
        (self.counting, self.saving) = (Step(usual: what), Step(usual: saving ?? what))
        self.report = report
    }

    /// The failure that lasts, and the sentence about it.
    var current: (sentence: String, error: StoreError)? { saving.current ?? counting.current }

    /// Whether counting goes on.
    var isCounting: Bool { counting.error == nil }

    /// Notes how counting went.
    /// - Parameter error: `nil` if it has succeeded.
    mutating func counted(_ error: StoreError? = nil) { note(error, nil, \.counting) }

    /// Notes how saving went.
    /// - Parameter what: what does not go on; `nil` for what does not in general.
    mutating func saved(_ error: StoreError? = nil, _ what: String? = nil) { note(error, what, \.saving) }

    private mutating func note(
        _ error: StoreError?, _ what: String?, _ step: WritableKeyPath<Self, Step>
    ) {
        guard error?.kind != .cancelled else { return }
        let before = self[keyPath: step].error
        (self[keyPath: step].error, self[keyPath: step].what) = (error, what)
        if let (sentence, error) = self[keyPath: step].current, error.description != before?.description {
            report(sentence)
        }
    }
}
