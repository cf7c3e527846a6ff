/// What went wrong with a request, for people and for programs: an RFC 9457 problem document.
/// - Source: RFC 9457
package struct Problem: Error, Sendable, Hashable, Codable, CustomStringConvertible, DescribedObject {
    package static let mediaType = "application/problem+json"

    package var type: String
    package var title: String
    package var status: Int
    package var detail: String?
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

    package static let object = ObjectDescription(
        "Problem", "What went wrong with a request: an RFC 9457 problem document",
        [
            member("type", \.type, "The kind of problem; about:blank says no more than the status", "about:blank"),
            member("title", \.title, "The kind of problem in a few words", "Bad query"),
            member("status", \.status, "The HTTP status", 400),
            member(
                "detail", \.detail, "What was wrong this time, and what to do about it",
                "n must be a number from 0, or all"),
            member("parameter", \.parameter, "The query parameter that is wrong", "n"),
        ])

    /// The line that ends a stream in which something failed.
    static let line = ObjectDescription(
        "ErrorLine", "The last line of a stream in which something failed",
        [
            .type("error"),
            MemberDescription(
                name: "problem", type: valueType, text: "Why the stream ends here", example: object.example),
        ])
}
