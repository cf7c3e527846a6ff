/// What went wrong with a request, for people and for programs: an RFC 9457 problem document.
/// - Source: RFC 9457
package struct Problem: Error, Sendable, Hashable, Codable, CustomStringConvertible {
    package static let mediaType = "application/problem+json"

    /// Names the kind of problem; `about:blank` says no more than the status does.
    package var type: String
    /// The kind of problem in a few words.
    package var title: String
    /// The HTTP status.
    package var status: Int
    /// What was wrong this time, and what to do about it.
    package var detail: String?
    /// The query parameter that is at fault.
    package var parameter: String?

    package init(
        status: Int, title: String, detail: String? = nil, parameter: String? = nil, type: String = "about:blank"
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.parameter = parameter
    }

    package var description: String {
        guard let detail else { return title }
        return "\(title): \(detail)"
    }
}
