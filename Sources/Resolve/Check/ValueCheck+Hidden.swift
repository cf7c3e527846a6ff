import JSON
import Model

extension CompiledDictionary.Event {
    /// Returns the violation of this definition that follows from an earlier violation by a value that is no longer
    /// stored; `nil` when none follows.
    func stillHolds(_ violation: Violation) -> Violation? {
        let key = Array(violation.parameter.utf8)
        let check = key.withUnsafeBytes { key in
            let hash = KeyHash.of(key)
            return [own, category, common].lazy.compactMap { set in
                set.index(of: key, hash: hash).map { set.entries[$0].check }
            }.first
        }
        // The parameter may be defined again later.
        guard let check else { return violation }
        return check.fault(knowing: violation.fault).map { Violation(violation.parameter, $0) }
    }
}

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
        case .integer, .number, .time: return rangeFault(knowing: before)
        // The value itself is not known.
        case .value: return values.map { valueFault(kind, $0) }
        case .missing, .unknownParameter: return nil
        }
    }

    private var isTime: Bool {
        switch typeForm {
        case .date, .timestamp: true
        case .integer, .real, .double, .boolean, .string, .anyButObject, .oneOf: false
        }
    }

    /// Returns the kind of the value.
    private static func kind(in fault: Violation.Fault) -> JSONKind? {
        switch fault {
        case .length, .time: .string(hasEscapes: false)
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
