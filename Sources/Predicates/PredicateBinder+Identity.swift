import Model

extension PredicateBinder {
    /// Returns the predicate of a comparison with uids.
    func bind(uids comparison: PredicateSyntax.Comparison) throws(PredicateError) -> Predicate {
        try identity(comparison, "a uid has 32 hexadecimal digits", EventUID.init) { .identity(.uids(Set($0))) }
    }

    /// Returns the predicate of a comparison with cursors.
    func bind(cursors comparison: PredicateSyntax.Comparison) throws(PredicateError) -> Predicate {
        let form = "a cursor is s=…;i=…;b=…;m=…;t=…, as journalctl --show-cursor prints it"
        return try identity(comparison, form, JournalCursor.init) { cursors in
            .any(
                cursors.map { cursor in
                    // Blocks are ruled out by the time. That of a damaged entry may be larger than times of predicates.
                    guard let time = Int64(exactly: cursor.realtimeMicroseconds) else {
                        return .identity(.cursor(cursor))
                    }
                    return .all([.number(.time, time...time), .identity(.cursor(cursor))])
                })
        }
    }

    private func identity<Value>(
        _ comparison: PredicateSyntax.Comparison, _ form: String, _ parse: (String) -> Value?,
        _ condition: ([Value]) -> Predicate
    ) throws(PredicateError) -> Predicate {
        let key = comparison.key.text
        func fault(_ reason: String, at word: PredicateSyntax.Word) -> PredicateError {
            error("\(reason); payload.\(key) is a parameter", at: word)
        }
        guard comparison.operation == .equal || comparison.operation == .notEqual, !comparison.ignoresCase else {
            throw fault("\(key) is compared by ==, != and in, without [c]", at: comparison.key)
        }
        let values = try comparison.values.map { word throws(PredicateError) in
            guard let value = parse(word.text) else { throw fault(form, at: word) }
            return value
        }
        let found = condition(values)
        return comparison.operation == .equal ? found : .not(found)
    }
}
