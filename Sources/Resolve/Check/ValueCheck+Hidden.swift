import JSON
import Model

extension ValueCheck {
    /// Returns the fault of a value of which only an earlier fault, by an earlier definition, is known.
    /// - Returns: `nil` when it does not follow that the value breaks the current definition.
    func fault(knowing before: Violation.Fault) -> Violation.Fault? {
        guard let kind = before.found.flatMap(JSONKind.init) else { return nil }
        guard admits(kind) else { return typeFault(kind) }
        switch before {
        // A text that was not a day or time, where one is required again.
        case .type: return isTime ? typeFault(kind) : nil
        case .length(_, let count):
            guard case .string(let maximumBytes) = typeForm else { return nil }
            return lengthFault(count, maximumBytes)
        case .count(_, let count):
            guard case .array(let array)? = nested, count > array.maximumCount else { return nil }
            return .count(maximum: array.maximumCount, found: count)
        case .integer, .number, .time: return rangeFault(knowing: before)
        // The value itself is not known.
        case .value: return values.map { valueFault(kind, $0) }
        case .missing, .unknownParameter: return nil
        }
    }

    private var isTime: Bool {
        switch typeForm {
        case .date, .timestamp: true
        case .integer, .real, .double, .boolean, .string, .any, .anyButObject, .object, .array, .oneOf: false
        }
    }

    private func rangeFault(knowing before: Violation.Fault) -> Violation.Fault? {
        switch (typeForm, before) {
        case (.integer(let least, let most), .integer(_, let allowed, .smaller)):
            least >= allowed.lowerBound ? .integer(type: name, allowed: least...most, excess: .smaller) : nil
        case (.integer(let least, let most), .integer(_, let allowed, .larger)):
            most <= allowed.upperBound ? .integer(type: name, allowed: least...most, excess: .larger) : nil
        case (.integer(let least, let most), .integer(_, _, .unknown)), (.integer(let least, let most), .number):
            .integer(type: name, allowed: least...most, excess: .unknown)
        case (.real, .number), (.real, .integer(_, _, .unknown)): .number(type: name, isDouble: false)
        // The range of a real is smaller.
        case (.double, .number(_, isDouble: true)): .number(type: name, isDouble: true)
        case (.date, .time), (.timestamp, .time): .time(type: name)
        default: nil
        }
    }
}

extension Violation.Fault {
    /// The kind of the value that it is about.
    var found: ValueKind? {
        switch self {
        case .length, .time: .string
        case .count: .array
        // No integer type has such large values either.
        case .integer, .number: .integer
        case .type(_, let found), .value(_, _, let found), .unknownParameter(let found): found
        case .missing: nil
        }
    }
}

extension JSONKind {
    /// - Returns: `nil` if the kind is not known.
    fileprivate init?(_ kind: ValueKind) {
        switch kind {
        case .replaced: return nil
        case .object: self = .object
        case .array: self = .array
        case .string: self = .string(hasEscapes: false)
        case .integer: self = .number(isInteger: true)
        case .real: self = .number(isInteger: false)
        case .boolean: self = .true
        case .null: self = .null
        }
    }
}
