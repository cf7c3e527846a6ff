import NIOHTTP1

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

extension AttemptResult {
    /// What happened, in words for people.
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

    /// What somebody should do about a result that holds the sink.
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
