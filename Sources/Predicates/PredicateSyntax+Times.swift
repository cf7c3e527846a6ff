package import Model

extension PredicateSyntax {
    /// Whether it selects a range of time, or boots: all events that meet it are in there.
    package var hasRange: Bool { hasRange(negated: false) }

    private func hasRange(negated: Bool) -> Bool {
        switch self {
        case .all(let parts) where !negated, .any(let parts) where negated:
            parts.contains { $0.hasRange(negated: negated) }
        case .all(let parts), .any(let parts): parts.allSatisfy { $0.hasRange(negated: negated) }
        case .not(let part): part.hasRange(negated: !negated)
        case .comparison(let comparison):
            switch comparison.operation {
            case .equal: !negated && comparison.isAboutRange
            case .notEqual: negated && comparison.isAboutRange
            case .ordered: comparison.isAboutRange
            case .exists, .match: false
            }
        // Only who has given the name knows it.
        case .named: false
        }
    }

    /// Returns a predicate whose times mean the same anywhere: `time > -5m` becomes `time > "@1795255200.000000"`.
    /// - Parameters:
    ///   - source: the text that the syntax was read from.
    ///   - times: what times mean here.
    /// - Throws: `PredicateError` for a value that is no time.
    package func withAbsoluteTimes(
        _ source: String, _ times: TimeExpression
    ) throws(PredicateError) -> String {
        var words: [(word: Word, repetition: CivilTime.Repetition)] = []
        forEachComparison { comparison in
            guard comparison.isAboutTime else { return }
            words += comparison.values.map { ($0, comparison.repetition) }
        }
        var bytes = Array(source.utf8)
        for (word, repetition) in words.sorted(by: { $0.word.range.lowerBound > $1.word.range.lowerBound }) {
            guard let time = times.microseconds(word.text, repetition) else {
                throw PredicateError(times.problem(with: word.text), in: source, at: word.range)
            }
            bytes.replaceSubrange(word.range, with: Array("\"\(TimeExpression.text(time))\"".utf8))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it asks for journal fields itself, and not by names of predicates.
    package var hasJournalFields: Bool {
        var hasSome = false
        forEachComparison { if $0.isAboutJournal { hasSome = true } }
        return hasSome
    }
}

extension PredicateSyntax.Comparison {
    fileprivate var isAboutRange: Bool { isAboutTime || isAboutBoots }

    fileprivate var isAboutTime: Bool {
        guard !key.isQuoted, case .number(let number) = PredicateKey.named(key.text)?.meaning else { return false }
        return number == .time || number == .programTime
    }

    fileprivate var isAboutJournal: Bool { !key.isQuoted && key.text.hasPrefix(PredicateBinder.journalPrefix) }

    fileprivate var isAboutBoots: Bool {
        guard !key.isQuoted, case .text(.boot) = PredicateKey.named(key.text)?.meaning else { return false }
        return true
    }
}
