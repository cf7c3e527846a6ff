import API
import Model

/// The `Retry-After` header of a reply: seconds, or an HTTP date.
/// - Source: RFC 9110, 10.2.3
package enum RetryAfter {
    /// The longest wait that an upstream can ask for.
    static let maximum = Duration.seconds(3600)

    /// - Parameter now: the wall clock in microseconds since 1970, with which a date is compared.
    /// - Returns: the time to wait, zero to one hour. `nil` for a text that is neither seconds nor a date: negative
    ///   numbers, fractions and garbage are ignored.
    package static func parse(_ text: String, now: UInt64) -> Duration? {
        let text = trimmed(text)
        guard !text.isEmpty, text.utf8.count <= 64 else { return nil }
        if text.utf8.allSatisfy(\.isDigit) {
            // A number that is too large for an integer still means "very long".
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

/// Dates in HTTP headers.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Parses all three forms that a recipient must accept: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94
    /// 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    /// - Returns: microseconds since 1970; `nil` if it is not such a date or is before 1970.
    /// - Source: RFC 9110, 5.6.7
    static func parse(_ text: Substring) -> UInt64? {
        // The day of the week is redundant.
        var words = text.split { $0 == " " || $0 == "," || $0 == "-" }.dropFirst().map(String.init)
        if words.last == "GMT" { words.removeLast() }
        guard words.count == 4 else { return nil }
        if months.contains(words[0]) { words = [words[1], words[0], words[3], words[2]] }
        guard let month = months.firstIndex(of: words[1]) else { return nil }
        let date = "\(fourDigits(words[2]))-\(twoDigits(String(month + 1)))-\(twoDigits(words[0]))"
        return WireTime("\(date)T\(words[3])Z")?.microseconds
    }

    /// Completes a year: RFC 850 dates have two digits.
    private static func fourDigits(_ year: String) -> String {
        guard year.utf8.count == 2 else { return year }
        return (year < "70" ? "20" : "19") + year
    }

    private static func twoDigits(_ number: String) -> String {
        number.utf8.count == 1 ? "0" + number : number
    }
}
