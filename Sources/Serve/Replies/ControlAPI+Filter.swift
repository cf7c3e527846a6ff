import API
import Model
import Predicates
import Store

extension ControlAPI {
    /// Returns what a filter means, with what only the dictionaries know. If values may be stored as hashes, the conditions match
    /// the hashes, too.
    /// - Parameter moment: when the client asked, in microseconds since 1970; now if it is `nil`.
    /// - Throws: `QueryError` for what means nothing; `StoreError` for a regular expression that is none; `Problem` 403 if a
    ///   value would be hashed for a client that may not read the journal, since such a client could learn values by guessing them.
    func predicate(
        _ filter: EventFilter, from context: ControlContext, at moment: UInt64? = nil
    ) async throws -> Predicate {
        let times = TimeExpression(now: moment ?? now(), zone: .utc)
        let dictionaries = filter.asksForDefinitions ? await daemon.dictionaries().map(\.dictionary) : []
        let predicates = filter.asksForDefinitions ? await daemon.predicates() : [:]
        let names = PredicateBinder.Names(dictionaries, predicates: predicates)
        let predicate = try filter.predicate(times, names) { predicate, parameter throws(QueryError) in
            try Self.check(predicate, of: parameter, filter)
        }
        if predicate.readsJournal, try await !journalReaders.allows(context) {
            throw Problem(
                status: 403, title: "Not permitted",
                detail: "\(journalReaders) may ask for journal fields, which have private values in plain text")
        }
        return try await withHashes(predicate, dictionaries, context)
    }

    /// The same for the text of a predicate.
    func predicate(of text: String, from context: ControlContext, at moment: UInt64? = nil) async throws -> Predicate {
        var filter = EventFilter()
        filter[.predicate] = [text]
        return try await predicate(filter, from: context, at: moment)
    }

    /// Finds regular expressions that are none.
    private static func check(
        _ predicate: Predicate, of parameter: FilterParameter, _ filter: EventFilter
    ) throws(QueryError) {
        do throws(StoreError) {
            try predicate.check()
        } catch {
            let place = parameter == .predicate ? filter[parameter].lazy.compactMap { wrongPattern(in: $0) }.first : nil
            throw QueryError(
                parameter: parameter.name, description: "is not understood: \(place?.description ?? error.description)",
                isUnprocessable: true)
        }
    }

    /// Returns which regular expression of a predicate is none; `nil` if it is in a predicate that is only named.
    private static func wrongPattern(in text: String) -> PredicateError? {
        var wrong: PredicateError?
        try? PredicateParser.parse(text).forEachPattern { pattern in
            do throws(StoreError) {
                try Predicate.message(.matches(.matches, ExactString(pattern.text), ignoresCase: false)).check()
            } catch {
                wrong = wrong ?? PredicateError(error.description, in: text, at: pattern.range)
            }
        }
        return wrong
    }

    // MARK: hashes

    private func withHashes(
        _ predicate: Predicate, _ dictionaries: [EventDictionary], _ context: ControlContext
    ) async throws -> Predicate {
        let hashed = dictionaries.hashedNames
        let asked = predicate.valuesAsked(of: hashed)
        guard !asked.isEmpty else { return predicate }
        guard try await journalReaders.allows(context) else { throw refusal(asked.sorted().map(\.text)) }
        if let name = predicate.valuesAsked(of: hashed, withoutCase: true).min() {
            throw QueryError(
                parameter: FilterParameter.predicate.name,
                description: "has [c] with \(name.text), whose values are stored as hashes: each spelling has its own",
                isUnprocessable: true)
        }
        return predicate.withHashes(of: hashed, daemon.hash)
    }

    /// Returns which texts of predicates a client may see: with the plain text of a hashed value in one, the client would learn
    /// which of the hashes in events is that value.
    func shownPredicates(
        _ dictionaries: [EventDictionary], to context: ControlContext
    ) async throws -> (String) -> Bool {
        let hashed = dictionaries.hashedNames
        let seesAll = hashed.isEmpty ? true : try await journalReaders.allows(context)
        if seesAll { return { _ in true } }
        let names = PredicateBinder.Names(dictionaries, predicates: await daemon.predicates())
        let times = TimeExpression(now: now(), zone: .utc)
        return { text in
            // What is not understood may be about anything.
            let meaning = try? PredicateBinder.bind(PredicateParser.parse(text), of: text, times: times, names)
            return meaning?.valuesAsked(of: hashed).isEmpty ?? false
        }
    }

    private func refusal(_ names: [String]) -> Problem {
        Problem(
            status: 403, title: "Not permitted",
            detail: """
                values of \(names.joined(separator: ", ")) are stored as hashes. \(journalReaders) may ask for them by \
                value; others can ask for the hash that an event shows, <hash:...>
                """)
    }
}
