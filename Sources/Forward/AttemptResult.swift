/// What one attempt to send a batch came to.
package enum AttemptResult: Sendable, Hashable {
    /// The upstream answered in full.
    /// - Parameters:
    ///   - retryAfter: what its `Retry-After` asks for, already clamped.
    ///   - excerpt: the beginning of the reply's text, cleaned for showing to people; empty when it said nothing.
    case answered(status: Int, retryAfter: Duration?, excerpt: String)
    /// No answer, or not all of it: DNS, connection, TLS, time-out. The upstream may have taken the batch all the same.
    case unanswered(reason: String)
    /// Nothing was sent, as what the settings name is not in order: the token file, the CA file.
    case notSent(reason: String)
}

/// What follows from an attempt.
package enum Verdict: Sendable, Hashable {
    case done
    /// - Parameter atLeast: how long the upstream asks to be left alone.
    case retry(atLeast: Duration?)
    /// Trying again by itself would not help: somebody must look.
    case hold

    package init(_ result: AttemptResult) {
        switch result {
        case .answered(let status, let retryAfter, _): self = Verdict(status: status, retryAfter: retryAfter)
        case .unanswered: self = .retry(atLeast: nil)
        case .notSent: self = .hold
        }
    }

    /// 2xx is done; 408, 425, 429 and 5xx but for 501 may pass by themselves. All others hold, redirects and 4xx alike:
    /// a wrong address or credential must not lose data.
    private init(status: Int, retryAfter: Duration?) {
        switch status {
        case 200...299: self = .done
        case 501: self = .hold
        case 408, 425, 429, 500...599: self = .retry(atLeast: retryAfter)
        default: self = .hold
        }
    }
}
