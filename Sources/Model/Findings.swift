/// The findings of resolving one payload.
package struct Findings: Hashable, Sendable {
    package var violations: [Violation]
    package var warnings: [Warning]
    /// The reason why an event is `malformed`, or `undefined` although it has a definition, as a phrase for people, such as
    /// `byte 17: expected a value`.
    @Exact package var reason: String?

    package init(violations: [Violation] = [], warnings: [Warning] = [], reason: String? = nil) {
        self.violations = violations
        self.warnings = warnings
        self.reason = reason
    }

    package var isEmpty: Bool { violations.isEmpty && warnings.isEmpty && reason == nil }
}

/// A way in which a parameter breaks its definition. It never contains the value itself, which may be private.
package struct Violation: Hashable, Sendable {
    /// Where in the payload: a parameter's name, or the path of a nested value such as `device.os` and `items[3].price`.
    @Exact package var parameter: String
    package var fault: Fault

    package init(_ parameter: String, _ fault: Fault) {
        self.parameter = parameter
        self.fault = fault
    }

    /// What is wrong. `type` is the parameter's type as the definition writes it.
    package enum Fault: Hashable, Sendable {
        /// The parameter is required and has no value. `found` is `null` if its key is present.
        case missing(type: ExactString, found: ValueKind?)
        case unknownParameter(found: ValueKind)
        case type(ExactString, found: ValueKind)
        case integer(type: ExactString, allowed: ClosedRange<Int64>, excess: Excess)
        /// A number that is too large for a real or a double.
        case number(type: ExactString, isDouble: Bool)
        /// A day or time that does not exist.
        case time(type: ExactString)
        /// A text that is too long. Both numbers are bytes of UTF-8.
        case length(maximum: Int, found: Int)
        /// An array with too many elements.
        case count(maximum: Int, found: Int)
        /// - Parameters:
        ///   - allowed: the first of the allowed values.
        ///   - hasMore: whether there are more allowed values.
        case value(allowed: [ExactString], hasMore: Bool, found: ValueKind)
    }

    package enum Excess: String, Sendable {
        case smaller, larger
        /// The value is no longer stored, and its earlier violation does not say in which direction it was out of range.
        case unknown
    }

    /// The rule that was broken, by which people and programs filter and count.
    package enum Rule: String, Sendable, CaseIterable {
        case missing, type, range, length
        case unknownParameter = "unknown-parameter"
        case value
    }

    package var rule: Rule {
        switch fault {
        case .missing: .missing
        case .unknownParameter: .unknownParameter
        case .type: .type
        case .integer, .number, .time: .range
        case .length, .count: .length
        case .value: .value
        }
    }
}

/// The kind of a JSON value, as violations name it.
package enum ValueKind: String, Sendable, CaseIterable {
    case object, array, string, integer, real, boolean, null
    /// It was replaced because it is private, and nothing else is known of it.
    case replaced = "replaced value"
}

/// Something worth knowing about an event that does not break its definition.
package struct Warning: Hashable, Sendable {
    package let rule: Rule
    /// The parameter that it is about, if the rule is about one.
    @Exact package private(set) var parameter: String?

    /// The rule of a warning, by which people and programs filter and count.
    package enum Rule: String, Sendable, CaseIterable {
        case obsoleteEvent = "obsolete-event"
        case obsoleteParameter = "obsolete-parameter"
        /// The payload has the same key twice; the last one counts, as in most JSON parsers.
        case duplicateKey = "duplicate-key"
        /// The payload is incomplete: it was longer than the limit, or its line was split.
        case cut
        /// The entry lacks the field that its source takes the payload from; the payload is its MESSAGE.
        case payloadField = "payload-field"
        /// Only the beginning of a field was read that says who the sender is, or that the key needs.
        case senderCut = "sender-cut"
        /// The level that the program gives is not understood; that of the journal counts.
        case programLevel = "program-level"
        /// The time that the program gives is not understood.
        case programTime = "program-time"

        fileprivate var needsParameter: Bool { self == .obsoleteParameter || self == .duplicateKey }
    }

    private init(_ rule: Rule, _ parameter: String? = nil) {
        self.rule = rule
        self.parameter = parameter
    }

    /// - Returns: `nil` if the rule needs a parameter and there is none.
    package init?(_ rule: Rule, parameter: String?) {
        guard parameter != nil || !rule.needsParameter else { return nil }
        self.init(rule, rule.needsParameter ? parameter : nil)
    }

    package static let obsoleteEvent = Self(.obsoleteEvent)
    package static let cut = Self(.cut)
    package static let payloadField = Self(.payloadField)
    package static let senderCut = Self(.senderCut)
    package static let programLevel = Self(.programLevel)
    package static let programTime = Self(.programTime)
    package static func obsoleteParameter(_ name: ExactString) -> Self { Self(.obsoleteParameter, name.text) }
    package static func duplicateKey(_ name: ExactString) -> Self { Self(.duplicateKey, name.text) }
}

extension Violation {
    /// What the definition requires, such as `bigint` or `at most 64 bytes`.
    package var expected: String {
        switch fault {
        case .missing(let type, _), .type(let type, _), .number(let type, _), .time(let type): return type.text
        case .unknownParameter: return "no such parameter"
        case .integer(let type, let allowed, _): return "\(type), \(allowed.lowerBound) to \(allowed.upperBound)"
        case .length(let maximum, _): return "at most \(maximum) bytes"
        case .count(let maximum, _): return "at most \(maximum) elements"
        case .value(let allowed, let hasMore, _):
            return "one of \(allowed.map(\.text).joined(separator: ", "))\(hasMore ? ", …" : "")"
        }
    }

    /// What the payload contains, such as `string` or `70 bytes`.
    package var found: String {
        switch fault {
        case .missing(_, let found): found?.rawValue ?? "nothing"
        case .unknownParameter(let found), .type(_, let found), .value(_, _, let found): found.rawValue
        case .integer(_, _, .smaller): "smaller integer"
        case .integer(_, _, .larger): "larger integer"
        case .integer(_, _, .unknown), .number: "number beyond its range"
        case .time: "day or time that does not exist"
        case .length(_, let found): "\(found) bytes"
        case .count(_, let found): "\(found) elements"
        }
    }
}
