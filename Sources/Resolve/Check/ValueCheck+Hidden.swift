import JSON
import Model

extension ValueCheck {
    /// Returns the fault of a value of which only an earlier fault, by an earlier definition, is known.
    /// - Returns: `nil` when it does not follow that the value breaks the current definition.
    func fault(knowing before: Violation.Fault) -> Violation.Fault? {
        guard let kind = Self.kind(in: before) else { return nil }
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

    /// Returns the kind of the value.
    private static func kind(in fault: Violation.Fault) -> JSONKind? {
        switch fault {
        case .length, .time: .string(hasEscapes: false)
        case .count: .array
        // No integer type has such large values either.
        case .integer, .number: .number(isInteger: true)
        case .type(_, let found), .value(_, _, let found), .unknownParameter(let found): JSONKind(found)
        case .missing: nil
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

extension JSONKind {
    fileprivate init(_ kind: ValueKind) {
        switch kind {
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
