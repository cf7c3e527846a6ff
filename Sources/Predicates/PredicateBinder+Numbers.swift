import Model

extension PredicateBinder {
    /// Returns the predicate of a comparison with numbers.
    func bind(
        _ comparison: PredicateSyntax.Comparison, _ key: Predicate.NumberKey
    ) throws(PredicateError) -> Predicate {
        if comparison.ignoresCase { throw error("[c] is for texts", at: comparison.key) }
        switch comparison.operation {
        case .exists: return .number(key, 0...Int64.max)
        case .equal, .notEqual:
            let equal = try comparison.values.map { value throws(PredicateError) in
                let number = try number(value, comparison, key)
                return Predicate.number(key, number...number)
            }
            let any = equal.count == 1 ? equal[0] : .any(equal)
            return comparison.operation == .equal ? any : .not(any)
        case .ordered(let order):
            let value = try one(comparison)
            let number = try number(value, comparison, key)
            // A more severe level has a smaller number.
            return Self.range(key, key.isLevel ? order.mirrored : order, number)
        case .match(let match):
            throw error(
                "\(match.rawValue) is for texts; \(comparison.key.text) is compared by == != < <= > >= and in",
                at: comparison.key)
        }
    }

    private static func range(_ key: Predicate.NumberKey, _ order: TextTest.Order, _ number: Int64) -> Predicate {
        switch order {
        case .less: number > 0 ? .number(key, 0...number - 1) : .nothing
        case .atMost: .number(key, 0...number)
        case .greater: number < .max ? .number(key, number + 1 ... .max) : .nothing
        case .atLeast: .number(key, number ... .max)
        }
    }

    /// - Returns: a number from 0.
    private func number(
        _ value: PredicateSyntax.Word, _ comparison: PredicateSyntax.Comparison, _ key: Predicate.NumberKey
    ) throws(PredicateError) -> Int64 {
        switch key {
        case .level, .journalLevel, .programLevel:
            let isByName = if case .ordered = comparison.operation { !value.isQuoted } else { false }
            guard let level = Level(ofProgram: value.text) else {
                let names = Level.allCases.map(\.name).joined(separator: ", ")
                throw error("a level is one of \(names)\(isByName ? "" : ", or 0 to 7")", at: value)
            }
            if isByName, value.text.first?.isNumber == true {
                throw error("levels are compared by name: write \(level.name)", at: value)
            }
            return Int64(level.rawValue)
        case .time, .programTime:
            guard let time = times.microseconds(value.text, comparison.repetition) else {
                throw error(times.problem(with: value.text), at: value)
            }
            return Int64(clamping: time)
        case .id, .pid:
            guard value.text.first?.isNumber == true, let number = Int64(value.text) else {
                throw error("expected a number from 0", at: value)
            }
            return number
        }
    }
}

extension PredicateSyntax.Comparison {
    /// What a local time means that a clock change repeats, so that no range loses events.
    var repetition: CivilTime.Repetition {
        switch operation {
        case .ordered(.less), .ordered(.atMost): .second
        case .ordered, .equal, .notEqual, .exists, .match: .first
        }
    }
}

extension TextTest.Order {
    fileprivate var mirrored: Self {
        switch self {
        case .less: .greater
        case .atMost: .atLeast
        case .greater: .less
        case .atLeast: .atMost
        }
    }
}
