import Model
import Predicates

/// What may be meant by words that stand where a predicate does.
enum WordsAlone {
    /// Returns an error that says what to write.
    /// - Parameters:
    ///   - text: what is no predicate.
    ///   - keyOptions: the options of the command that take a key, and then those that take one of numbers.
    /// - Returns: `nil` if more than words was written, such as an operator.
    static func error(_ text: String, keyOptions: [String]) -> ControlError? {
        guard text.allSatisfy({ $0.isLetter || $0.isNumber || "_-./ ".contains($0) }),
            text.contains(where: { $0 != " " }),
            !text.split(separator: " ").contains(where: { operators.contains($0.lowercased()) })
        else { return nil }
        return .wrongUsage("'\(text)' is no predicate: \(hint(text, keyOptions))")
    }

    private static let operators =
        ["and", "or", "not", "in", "exists"] + TextTest.Match.allCases.map(\.rawValue)

    private static func hint(_ text: String, _ keyOptions: [String]) -> String {
        if text.contains(" ") { return "write -g '\(text)' to find the text" }
        if text.utf8.allSatisfy(\.isDigit) { return "glossctl event \(text) shows the event with this id" }
        if text.contains("/") { return "write --event \(text)" }
        if text.count > 1, Level(ofProgram: text) != nil { return "write -p \(text)" }
        let isKey = PredicateKey.named(text) != nil
        guard keyOptions.isEmpty else {
            // Most keys have no numbers.
            return "write \(keyOptions.prefix(isKey ? 1 : 2).map { "\($0) \(text)" }.joined(separator: " or "))"
        }
        guard !isKey, !text.hasPrefix("payload.") else { return "write '\(text) == VALUE'" }
        return "write -g \(text) to find the text, or --event '\(text)/*' for a category of events"
    }
}
