internal import Model

/// One row of the table `finding_use`.
struct FindingUseKey: Sendable, Hashable {
    /// Stands for names that payloads made up, beyond a bound.
    static let other = "(other)"
    /// Longer names count as others.
    private static let longestName = 256

    var series: Int64
    var rule: String
    /// Empty for rules that are about no parameter.
    var parameter: String

    /// What the numbers of a row take.
    static let numberBytes: Int64 = 32

    var rowBytes: Int64 { Self.numberBytes + Int64(rule.utf8.count + parameter.utf8.count) }

    /// Whether the parameter of such findings is one that the payload named, not the definition: those are endless.
    static func isNamedByPayload(_ rule: String) -> Bool {
        rule == Violation.Rule.unknownParameter.rawValue || rule == Warning.Rule.duplicateKey.rawValue
    }

    static func isViolation(_ rule: String) -> Bool { Violation.Rule(rawValue: rule) != nil }

    static func shortened(_ name: String) -> String { name.utf8.count <= longestName ? name : other }
}

extension Findings {
    /// Rule and parameter of each, as `finding_use` names them.
    var rules: [(rule: String, parameter: String)] {
        violations.map { ($0.rule.rawValue, FindingUseKey.shortened($0.parameter)) }
            + warnings.map { ($0.rule.rawValue, FindingUseKey.shortened($0.parameter ?? "")) }
    }
}
