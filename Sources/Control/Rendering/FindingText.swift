package import API
package import Model

/// Violations and warnings in words.
package enum FindingText {
    /// Returns a text such as `recipe_id: expected bigint, found string`.
    package static func text(_ violation: ViolationLine) -> String {
        let expected = SafeText.neutralised(violation.expected)
        let found = SafeText.neutralised(violation.found)
        let says =
            switch violation.rule {
            case .missing: "missing, expected \(expected)"
            case .unknownParameter: "not in the definition, found \(found)"
            case .type, .range, .length, .value: "expected \(expected), found \(found)"
            }
        return "\(SafeText.neutralised(violation.parameter)): \(says)"
    }

    package static func text(_ warning: Warning) -> String {
        let about = warning.parameter.map { SafeText.neutralised($0) + ": " } ?? ""
        return switch warning {
        case .obsoleteEvent: "\(about)the event is obsolete"
        case .obsoleteParameter: "\(about)the parameter is obsolete"
        case .duplicateKey: "\(about)given more than once; the last one counts"
        case .cut: "\(about)only the beginning of the payload was read"
        case .payloadField: "\(about)the entry lacks the field that its payload should be in: this is its MESSAGE"
        }
    }
}
