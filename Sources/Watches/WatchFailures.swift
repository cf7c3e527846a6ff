internal import Store

/// What keeps watches from going on now: each failure is reported once, for as long as it stays the same.
struct WatchFailures {
    private let what: String
    private let report: @Sendable (String) -> Void
    private var counting: StoreError?
    private var saving: StoreError?

    /// - Parameters:
    ///   - what: what does not go on, as in "Alerts do not look at events".
    ///   - report: gets the sentence.
    init(_ what: String, report: @escaping @Sendable (String) -> Void) { (self.what, self.report) = (what, report) }

    /// The failure that lasts, and the sentence about it.
    var current: (sentence: String, error: StoreError)? {
        (saving ?? counting).map { (sentence($0), $0) }
    }

    private func sentence(_ error: StoreError) -> String { "\(what) now, and will go on where they are: \(error)" }

    /// Notes how counting went.
    /// - Parameter error: `nil` if it has succeeded.
    mutating func counted(_ error: StoreError? = nil) { note(error, \.counting) }

    /// Notes how saving went.
    mutating func saved(_ error: StoreError? = nil) { note(error, \.saving) }

    private mutating func note(_ error: StoreError?, _ step: WritableKeyPath<Self, StoreError?>) {
        guard error?.kind != .cancelled else { return }
        let before = self[keyPath: step]
        self[keyPath: step] = error
        if let error, error.description != before?.description { report(sentence(error)) }
    }
}
