import API
import Model

/// Violations and warnings in words.
enum FindingText {
    /// Returns what is wrong with an event, a text for each finding.
    static func all(of event: EventLine) -> [(text: String, tint: Tint)] {
        event.violations.map { (text($0), .bad) } + event.warnings.map { (text($0), .warning) }
            + [event.reason].compactMap(\.self).map { (SafeText.neutralised($0), .accent) }
    }

    /// Returns a text such as `recipe_id: expected bigint, found string`.
    static func text(_ violation: ViolationLine) -> String {
        let expected = SafeText.neutralised(violation.expected)
        let found = SafeText.neutralised(violation.found)
        let says =
            switch violation.rule {
            case .missing: "missing, expected \(expected)"
            case .unknownParameter: "not in the definition, found \(found)"
            case .type, .range, .length, .value: "expected \(expected), found \(found)"
            }
        return "\(SafeText.neutralised(name: violation.parameter)): \(says)"
    }

    static func text(_ warning: Warning) -> String {
        let name = SafeText.neutralised(name: warning.parameter ?? "")
        return switch warning.rule {
        case .obsoleteEvent: "the event is obsolete"
        case .obsoleteParameter: "\(name): the parameter is obsolete"
        case .duplicateKey: "\(name): given more than once; the last one counts"
        case .cut: "the payload is incomplete: it was too long, or its line was split"
        case .payloadField: "the entry has no payload field; its MESSAGE is shown instead"
        case .senderCut: "a field that says who sent it, or what it is, was too long; only its beginning is kept"
        case .programLevel: "the program's own level is not understood"
        case .programTime: "the program's own time is not understood"
        }
    }
}

extension EventLine {
    var hasFindings: Bool { !violations.isEmpty || !warnings.isEmpty || reason != nil }
}

extension [ViolationLine] {
    /// The parameters that break their definition, or in which a value does: `items[3].price`, `items[3]` and `items`.
    var brokenPlaces: Set<ExactString> {
        reduce(into: []) { places, violation in
            let (name, bytes) = (violation.parameter, violation.parameter.utf8)
            places.insert(ExactString(name))
            for end in bytes.indices where bytes[end] == UInt8(ascii: ".") || bytes[end] == UInt8(ascii: "[") {
                places.insert(ExactString(String(name[..<end])))
            }
        }
    }
}
