import NIOHTTP1

/// The result of one attempt to send a batch.
package enum AttemptResult: Sendable, Hashable {
    /// The upstream sent a complete answer.
    /// - Parameters:
    ///   - retryAfter: the duration from its `Retry-After` header, already clamped.
    ///   - excerpt: the beginning of the reply's text, made safe for display; empty when the reply has no text.
    case answered(status: Int, retryAfter: Duration?, excerpt: String)
    /// No complete answer: DNS, connection, TLS, time-out. The upstream may have accepted the batch nevertheless.
    case unanswered(reason: String)
    /// Nothing was sent, because a file that the settings name is not usable: the token file, the CA file.
    case notSent(reason: String)
}

/// The consequence of an attempt.
package enum Verdict: Sendable, Hashable {
    case done
    /// - Parameter atLeast: the time that the upstream asks the sink to wait.
    case retry(atLeast: Duration?)
    /// Retrying would not help without a person's action.
    case hold

    /// The kind of a verdict.
    package enum Outcome: String, Sendable, CaseIterable {
        case done, retry, hold
    }

    package var outcome: Outcome {
        switch self {
        case .done: .done
        case .retry: .retry
        case .hold: .hold
        }
    }

    package init(_ result: AttemptResult) {
        switch result {
        case .answered(let status, let retryAfter, _): self = Verdict(status: status, retryAfter: retryAfter)
        case .unanswered: self = .retry(atLeast: nil)
        case .notSent: self = .hold
        }
    }

    /// 2xx is success; 408, 425, 429 and 5xx except 501 may be temporary. All others hold the sink, including redirects
    /// and other 4xx: a wrong address or credential must not lose data.
    private init(status: Int, retryAfter: Duration?) {
        switch status {
        case 200...299: self = .done
        case 501: self = .hold
        case 408, 425, 429, 500...599: self = .retry(atLeast: retryAfter)
        default: self = .hold
        }
    }
}

extension AttemptResult {
    /// What happened, as a phrase for people.
    var reason: String {
        switch self {
        case .answered(let status, _, let excerpt):
            let phrase = HTTPResponseStatus(statusCode: status).reasonPhrase
            let answer = phrase.isEmpty ? "\(status)" : "\(status) \(phrase)"
            return excerpt.isEmpty ? "the upstream answered \(answer)" : "the upstream answered \(answer): \(excerpt)"
        case .unanswered(let reason), .notSent(let reason):
            return reason
        }
    }

    /// What a person should do about a result that holds the sink.
    var hint: String? {
        guard case .answered(let status, _, _) = self else { return nil }
        return switch status {
        case 300...399: "redirects are not followed: write the address that it points to as the sink's url"
        case 401, 403: "check the sink's token, then reload"
        case 404, 405, 410, 501: "check the sink's url, then reload"
        case 400, 422: "the upstream refuses the content of this batch: look at its own log"
        case 413: "raise the upstream's limit for request bodies above the sink's batch.max_bytes"
        default: nil
        }
    }
}
