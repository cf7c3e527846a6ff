import NIOHTTP1

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
