package import Model

extension PredicateBinder {
    /// Finds out what a predicate of the settings means, which stays in force: times in it are in UTC, and do not depend on the time at
    /// which it is read.
    /// - Throws: `PredicateError`
    package static func standing(_ text: String, _ names: Names) throws(PredicateError) -> Predicate {
        let syntax = try PredicateParser.parse(text)
        func meaning(at now: UInt64) throws(PredicateError) -> Predicate {
            try bind(syntax, of: text, times: TimeExpression(now: now, zone: .utc), names)
        }
        let predicate = try meaning(at: 1_700_000_000_000_000)
        guard try predicate == meaning(at: 1_800_000_000_000_000) else {
            throw PredicateError(
                "a time in the predicate depends on when it is read; write a date and a time, such as \"2026-11-21 10:00:00\"",
                in: text, at: 0..<text.utf8.count)
        }
        return predicate
    }
}
