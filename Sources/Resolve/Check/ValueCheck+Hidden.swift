import JSON
import Model

extension CompiledDictionary.Event {
    /// What a violation that was found in a value that is gone says against this definition; `nil` when nothing.
    func stillHolds(_ violation: Violation) -> Violation? {
        let key = Array(violation.parameter.utf8)
        let check = key.withUnsafeBytes { key in
            let hash = KeyHash.of(key)
            return [own, category, common].lazy.compactMap { set in
                set.index(of: key, hash: hash).map { set.entries[$0].check }
            }.first
        }
        // The parameter may come back.
        guard let check else { return violation }
        return check.fault(knowing: violation).map {
            Violation(parameter: violation.parameter, rule: $0.rule, expected: $0.expected, found: $0.found)
        }
    }
}

extension ValueCheck {
    /// The fault of a value of which only this is known any more, a violation of what was asked for before.
    /// - Returns: `nil` when it does not follow that the value breaks what is asked for now.
    func fault(knowing violation: Violation) -> Fault? {
        let kind = Self.kind(in: violation)
        guard let kind, admits(kind) else { return kind.map(typeFault) }
        switch violation.rule {
        // A text that was no day or time, and that is asked for again.
        case .type: return isTime ? typeFault(kind) : nil
        case .length:
            guard case .string(let maximumBytes) = typeForm, let count = Self.numbers(in: violation.found).first
            else { return nil }
            return lengthFault(Int(count), maximumBytes)
        case .range: return rangeFault(violation)
        // Which value it was is not known.
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

    /// The kind of the value.
    private static func kind(in violation: Violation) -> JSONKind? {
        switch (violation.rule, violation.found) {
        case (.length, _), (.range, Beyond.time): .string(hasEscapes: false)
        // No integer is as large either.
        case (.range, _): .number(isInteger: true)
        case (_, let name): JSONKind.allNamed.first { $0.name == name }
        }
    }

    private func rangeFault(_ violation: Violation) -> Fault? {
        let fault = Fault(rule: .range, expected: expectation, found: violation.found)
        // The least and the most that was allowed.
        let before = Self.numbers(in: violation.expected).suffix(2)
        return switch (typeForm, violation.found) {
        case (.integer(let least, _), Beyond.smallerInteger): before.first.map { least >= $0 } == true ? fault : nil
        case (.integer(_, let most), Beyond.largerInteger): before.last.map { most <= $0 } == true ? fault : nil
        case (.integer, Beyond.number), (.real, Beyond.number), (.date, Beyond.time), (.timestamp, Beyond.time): fault
        // A real one ends earlier.
        case (.double, Beyond.number): violation.expected.contains("double") ? fault : nil
        default: nil
        }
    }

    private static func numbers(in text: String) -> [Int64] {
        text.split { !$0.isASCII || !($0.isNumber || $0 == "-") }.compactMap { Int64($0) }
    }
}

extension JSONKind {
    /// One for each name that violations have.
    fileprivate static let allNamed: [JSONKind] = [
        .object, .array, .string(hasEscapes: false), .number(isInteger: true), .number(isInteger: false), .true, .null,
    ]
}
