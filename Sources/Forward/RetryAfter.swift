import Model

/// The `Retry-After` header of a reply: seconds, or an HTTP date.
/// - Source: RFC 9110, 10.2.3
package enum RetryAfter {
    /// No upstream can make a sink wait longer than this.
    static let maximum = Duration.seconds(3600)

    /// - Parameter now: the wall clock, in microseconds since 1970, against which a date is read.
    /// - Returns: How long to wait, zero to one hour. `nil` for what is neither seconds nor a date: negative numbers,
    ///   fractions and garbage are ignored.
    package static func parse(_ text: String, now: UInt64) -> Duration? {
        let text = trimmed(text)
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // More digits than an integer holds is still "very long".
            return Int64(text).map { min(.seconds($0), maximum) } ?? maximum
        }
        guard let date = HTTPDate.parse(text) else { return nil }
        return date > now ? min(.microseconds(Int64(clamping: date - now)), maximum) : .zero
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = Substring(text)
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
