import API
import Model

/// Gap records in words.
enum GapText {
    /// Returns a text such as `gap: MESSAGE (rate limited, 120 missing)`, `gap: MESSAGE (damaged, at most 3 missing)`.
    static func text(_ gap: GapLine) -> String {
        let count = count(gap).map { ", \($0) missing" } ?? ""
        return "gap: \(SafeText.neutralised(gap.message)) (\(cause(gap.cause))\(count))"
    }

    /// The number of missing entries: `3,210`, `at most 12`; `nil` if it is not known.
    static func count(_ gap: GapLine) -> String? {
        gap.count.map { gap.certainty == Gap.Certainty.atMost.rawValue ? atMost($0) : Quantity.count($0) }
    }

    static func atMost(_ count: UInt64) -> String { "at most \(Quantity.count(count))" }

    /// The message, with the file and the range if it lacks them: `MESSAGE: PATH, bytes 4096 to 8192`.
    static func what(_ gap: GapLine) -> String {
        var parts: [String] = []
        if let file = gap.file {
            if !gap.message.contains(file.path) { parts.append(file.path) }
            // The number of a byte may be in the message by chance: 0 is in 10.
            let range = "\(file.from) to \(file.to)"
            if !gap.message.contains(range) { parts.append("bytes \(range)") }
        }
        let place = parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))"
        return SafeText.neutralised(gap.message + place)
    }

    static func text(missed count: Int64) -> String {
        "missed: this tail was too far behind, and \(Quantity.count(count, "event")) of the store "
            + "\(count == 1 ? "was" : "were") skipped here"
    }

    static func text(late count: Int64) -> String {
        let (are, them) = count == 1 ? ("is", "it") : ("are", "them")
        return "late: \(Quantity.count(count, "event")) \(are) older than this tail: --late shows \(them)"
    }

    static func cause(_ cause: String) -> String {
        SafeText.neutralised(cause.replacing("_", with: " "))
    }
}
