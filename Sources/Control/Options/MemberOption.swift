import Model
import Predicates

/// The value of `--where`.
enum MemberOption {
    /// Refuses what is meant to be another comparison.
    static func checked(_ text: String) throws(ControlError) -> String {
        let form = "write NAME=VALUE, such as --where recipe_id=42"
        guard let parts = text.parts(at: "="), !parts.before.isEmpty else {
            throw .wrongUsage("--where \(text): \(form)")
        }
        if let sign = comparison(parts.before, parts.after) {
            throw .wrongUsage(
                "--where \(text): \(sign) is not supported, only equality: \(form); a predicate has more: 'recipe_id > 42'"
            )
        }
        guard parts.before.allSatisfy({ !$0.isWhitespace }) else {
            throw .wrongUsage("--where '\(text)': a parameter's name has no spaces: \(form)")
        }
        guard FilterParameter.memberParts(text) != nil else {
            throw .wrongUsage("--where '\(text)': a parameter's name has letters, digits, _, - and . only: \(form)")
        }
        if let sign = comparison(with: parts.after) {
            throw .wrongUsage(
                """
                --where '\(text)': \(sign) is not supported, only equality: \(form). If the value begins so, write \
                a predicate: 'payload.\(parts.before) == "\(parts.after)"'
                """)
        }
        return text
    }

    /// Returns an operator of other query languages that contains the first `=`.
    private static func comparison(_ name: Substring, _ value: Substring) -> String? {
        if let last = name.last, "!<>~^$*+:".contains(last) { return "\(last)=" }
        return value.first.flatMap { "=~".contains($0) ? "=\($0)" : nil }
    }

    /// Returns an operator after the `=`, before another one or a number. Otherwise it is text, such as `<b>`.
    private static func comparison(with value: Substring) -> String? {
        guard let sign = value.first, "<>!".contains(sign) else { return nil }
        let rest = value.dropFirst().drop { $0 == " " }
        if rest.first == "=" { return "\(sign)=" }
        let digits = rest.drop { "+-.".contains($0) }
        return digits.first.map { ("0"..."9").contains($0) } == true ? "\(sign)" : nil
    }
}
