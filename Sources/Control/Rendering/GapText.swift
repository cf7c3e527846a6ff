package import API
import Model

/// Gap records in words.
package enum GapText {
    /// Such as `gap: MESSAGE (rate limited, 120 missing)`.
    package static func text(_ gap: GapLine) -> String {
        let count = gap.count.map { ", \(Quantity.count($0)) missing" } ?? ""
        return "gap: \(SafeText.neutralised(gap.message)) (\(cause(gap.cause))\(count))"
    }

    package static func text(missed count: Int64) -> String {
        "missed: this tail was too slow, and \(Quantity.count(count, "event")) of the store "
            + "\(count == 1 ? "was" : "were") left out here"
    }

    static func cause(_ cause: String) -> String {
        SafeText.neutralised(cause.replacing("_", with: " "))
    }
}
