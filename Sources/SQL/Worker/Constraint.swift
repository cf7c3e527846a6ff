import Model
import Store

/// A condition of a statement on one column, as SQLite passes it to a table.
struct Constraint: Equatable {
    enum Operator: Int32 {
        case equal = 2
        case greater = 4
        case atMost = 8
        case less = 16
        case atLeast = 32

        /// As SQL writes it.
        var sign: String {
            switch self {
            case .equal: "="
            case .greater: ">"
            case .atMost: "<="
            case .less: "<"
            case .atLeast: ">="
            }
        }
    }

    var column: Int
    var operation: Operator
    /// Whether the value is one of several: `IN`.
    var isList = false
    /// Whether texts are compared by their bytes although the column has a collation.
    var isByBytes = false
}

/// A value that a column is compared with.
enum Operand {
    case integer(Int64)
    case real(Double)
    case text(String)
    case null
    case other
}

/// The events that a statement needs of a table.
struct Wanted {
    var predicate: Predicate
    var ids: ClosedRange<Int64>? = 0 ... .max
}

extension RowColumn {
    /// Whether `narrow` may do something for a condition.
    func narrows(_ operation: Constraint.Operator) -> Bool {
        switch self {
        case .id, .time, .timeUnit, .programTime, .level, .journalLevel, .programLevel, .priority, .pid: true
        case .parameter(_, _, isExact: true): false
        case .text, .number, .uid, .parameter, .rule, .subject:
            operation == .equal
        case .violations, .warnings, .reason, .payload, .message, .expected, .found: false
        }
    }

    /// Leaves out events that cannot meet a condition. SQLite compares the rest itself, so that too many are no error, but
    /// one too few is.
    /// - Parameter operands: of which one holds.
    func narrow(_ wanted: inout Wanted, _ operation: Constraint.Operator, _ operands: [Operand], _ kind: RowKind) {
        // No value meets a condition with NULL.
        let operands = operands.filter { if case .null = $0 { false } else { true } }
        guard !operands.isEmpty else { return wanted.ids = nil }
        if self == .id {
            let ranges = operands.map { $0.range(operation) }
            guard let ids = wanted.ids, ranges.allSatisfy({ $0 != nil }) else { return }
            let least = ranges.compactMap(\.self).map(\.lowerBound).min() ?? .max
            let most = ranges.compactMap(\.self).map(\.upperBound).max() ?? .min
            wanted.ids =
                least <= most && ids.overlaps(least...most) ? ids.clamped(to: least...most) : nil
            if ranges.count == 1 { return }
        }
        if let key = textKey(kind) {
            let texts = operands.map(\.text)
            guard texts.allSatisfy({ $0 != nil }) else { return }
            wanted.predicate = wanted.predicate.and(.text(key, .among(Set(texts.compactMap(\.self)))))
            return
        }
        // Each is tried by itself: reading the events takes less than trying many.
        guard operands.count <= Self.mostConditions else { return }
        var conditions: [Predicate] = []
        for operand in operands {
            guard let condition = condition(operation, operand) else { return }
            conditions.append(condition)
        }
        wanted.predicate = wanted.predicate.and(conditions.count == 1 ? conditions[0] : .any(conditions))
    }

    private static let mostConditions = 64

    /// The key of predicates that has the same texts.
    private func textKey(_ kind: RowKind) -> Predicate.TextKey? {
        switch self {
        case .text(let key): key
        case .rule: kind == .violations ? .violationRule : .warningRule
        case .subject: kind == .violations ? .violationParameter : .warningParameter
        default: nil
        }
    }

    /// - Returns: what all events meet that meet the condition; `nil` if nothing is known.
    private func condition(_ operation: Constraint.Operator, _ operand: Operand) -> Predicate? {
        switch self {
        case .id: operand.range(operation).map { .number(.id, $0) }
        case .priority: operand.range(operation).map { .number(.level, $0) }
        case .pid: operand.range(operation).map { .number(.pid, $0) }
        case .time: operand.times(operation).map { .number(.time, $0) }
        case .programTime: operand.times(operation).map { .number(.programTime, $0) }
        case .timeUnit(let unit): operand.times(operation, of: unit).map { .number(.time, $0) }
        case .level: operand.levels(operation, .level)
        case .journalLevel: operand.levels(operation, .journalLevel)
        case .programLevel: operand.levels(operation, .programLevel)
        case .number(let key):
            if case .integer(let number) = operand { .text(key, .among([ExactString(String(number))])) } else { nil }
        case .uid: operand.text.flatMap { EventUID($0.text) }.map { .identity(.uids([$0])) }
        case .parameter(let path, _, _): operand.tests.map { tests in .any(tests.map { .parameter(path, $0) }) }
        default: nil
        }
    }
}

extension Operand {
    var text: ExactString? {
        if case .text(let text) = self { ExactString(text) } else { nil }
    }

    var isTextOrNull: Bool {
        switch self {
        case .text, .null: true
        case .integer, .real, .other: false
        }
    }

    /// The integers that meet a condition.
    fileprivate func range(_ operation: Constraint.Operator) -> ClosedRange<Int64>? {
        guard case .integer(let number) = self else { return nil }
        return switch operation {
        case .equal: number...number
        case .less: number > .min ? Int64.min...number - 1 : nil
        case .atMost: Int64.min...number
        case .greater: number < .max ? number + 1...Int64.max : nil
        case .atLeast: number...Int64.max
        }
    }

    /// The times that may meet a condition.
    fileprivate func times(_ operation: Constraint.Operator) -> ClosedRange<Int64>? {
        guard case .text(let text) = self, let earliest = SQLTime.earliest(text), SQLTime.exact.contains(earliest)
        else { return nil }
        return switch operation {
        case .equal: earliest...earliest
        case .less, .atMost: Int64.min...earliest
        case .greater, .atLeast: earliest...Int64.max
        }
    }

    /// The times of which the beginnings may meet a condition.
    fileprivate func times(_ operation: Constraint.Operator, of unit: TimeUnit) -> ClosedRange<Int64>? {
        guard case .text(let text) = self, unit.isText(text, orPart: operation != .equal),
            let first = SQLTime.earliest(text), SQLTime.exact.contains(first)
        else { return nil }
        // What begins before a time may end after it.
        let end = Int64(clamping: unit.span(of: UInt64(first), in: .utc).upperBound)
        guard SQLTime.exact.contains(end) else { return nil }
        let last = end - 1
        return switch operation {
        case .equal: first...last
        case .less, .atMost: Int64.min...last
        case .greater, .atLeast: first...Int64.max
        }
    }

    /// The levels that meet a condition, of which more severe ones are more.
    fileprivate func levels(_ operation: Constraint.Operator, _ key: Predicate.NumberKey) -> Predicate? {
        guard case .text(let text) = self, let level = Level(inSQL: text) else { return nil }
        let number = Int64(level.rawValue)
        return switch operation {
        case .equal: .number(key, number...number)
        case .less, .atMost: .number(key, number...Int64.max)
        case .greater, .atLeast: .number(key, 0...number)
        }
    }

    /// The tests of which a value in a payload passes one if SQLite takes it for equal. What type SQLite compares them as
    /// depends on both sides of the condition, so that a text that is a number may be equal to any that is the same one.
    fileprivate var tests: [TextTest]? {
        switch self {
        case .integer(let number): [.number(Double(number))]
        case .real(let number): [.number(number)]
        case .text(let text):
            [.among([ExactString(text)])] + (Double(sqlText: text).map { [.number($0)] } ?? [])
        case .null, .other: nil
        }
    }
}
