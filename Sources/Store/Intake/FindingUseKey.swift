internal import Model

/// One row of the table `finding_use`.
struct FindingUseKey: Sendable, Hashable {
    /// Longer names count as others.
    private static let longestName = 256

    var eventUse: Int64
    @Exact var rule: String
    /// Empty for rules that are about no parameter; `EventUseKey.other` for names that are too many.
    @Exact var parameter: String

    /// About what a row takes with its place in the index.
    var rowBytes: Int64 { Self.numberBytes + 2 * Int64(rule.utf8.count + parameter.utf8.count) }

    /// What the numbers of a row and its place in the index take.
    static let numberBytes: Int64 = 56

    /// Whether the parameter of such findings is one that the payload named, not the definition: those are endless.
    static func isNamedByPayload(_ rule: String) -> Bool {
        rule == Violation.Rule.unknownParameter.rawValue || rule == Warning.Rule.duplicateKey.rawValue
    }

    static func isViolation(_ rule: String) -> Bool { Violation.Rule(rawValue: rule) != nil }

    static func shortened(_ name: String) -> String { name.utf8.count <= longestName ? name : EventUseKey.other }
}

extension Findings {
    /// Rule and parameter of each, as `finding_use` names them.
    var rules: [(rule: String, parameter: String)] {
        violations.map { ($0.rule.rawValue, FindingUseKey.shortened($0.parameter)) }
            + warnings.map { ($0.rule.rawValue, FindingUseKey.shortened($0.parameter ?? "")) }
    }
}
