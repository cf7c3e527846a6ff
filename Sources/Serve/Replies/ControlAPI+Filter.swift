import API
import Model
import Predicates
import Store

extension ControlAPI {
    /// Returns what a filter means, with what only the dictionaries know. If values may be stored as hashes, the conditions match
    /// the hashes, too.
    /// - Throws: `QueryError` for what means nothing; `StoreError` for a regular expression that is none; `Problem` 403 if a
    ///   value would be hashed for a client that may not read the journal, since such a client could learn values by guessing them.
    func predicate(_ filter: EventFilter, from context: ControlContext) async throws -> Predicate {
        let times = TimeExpression(now: now(), zone: .utc)
        guard filter.asksForDefinitions else {
            return try filter.predicate(times, PredicateBinder.Names(), check: Self.check)
        }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        let predicate = try filter.predicate(
            times, PredicateBinder.Names(dictionaries, predicates: await daemon.predicates()), check: Self.check)
        return try await withHashes(predicate, dictionaries, context)
    }

    /// Finds regular expressions that are none.
    private static func check(_ predicate: Predicate, of parameter: FilterParameter) throws(QueryError) {
        do throws(StoreError) {
            try predicate.check()
        } catch {
            throw QueryError(
                parameter: parameter.name, description: "is not understood: \(error)", isUnprocessable: true)
        }
    }

    // MARK: hashes

    private func withHashes(
        _ predicate: Predicate, _ dictionaries: [EventDictionary], _ context: ControlContext
    ) async throws -> Predicate {
        let hashed = Set(dictionaries.lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
        var (asked, ignoringCase) = (Set<ExactString>(), Set<ExactString>())
        predicate.forEachCondition { condition in
            guard case .parameter(let path, .among(let values, let ignoresCase)) = condition,
                values.contains(where: { !Self.isHash($0.text) })
            else { return }
            if ignoresCase { ignoringCase.formUnion(Self.keys(in: path).intersection(hashed)) }
            asked.formUnion(Self.keys(in: path).intersection(hashed))
        }
        guard !asked.isEmpty else { return predicate }
        guard try await journalReaders.allows(context) else { throw refusal(asked.sorted().map(\.text)) }
        guard ignoringCase.isEmpty else {
            throw QueryError(
                parameter: FilterParameter.predicate.name,
                description:
                    "has [c] with \(ignoringCase.sorted()[0].text), whose values are stored as hashes: each spelling has its own",
                isUnprocessable: true)
        }
        func withHashes(_ path: Predicate.ParameterPath, _ values: Set<ExactString>) -> Set<ExactString> {
            guard !Self.keys(in: path).isDisjoint(with: hashed) else { return values }
            return values.union(
                values.filter { !Self.isHash($0.text) }.map { ExactString(daemon.hashed($0.text)) })
        }
        return predicate.mapConditions { condition in
            guard case .parameter(let path, .among(let values, let ignoresCase)) = condition else { return condition }
            return .parameter(path, .among(withHashes(path, values), ignoresCase: ignoresCase))
        }
    }

    /// Returns the names, and the last key of paths such as `device.id`: privacy goes by that name.
    private static func keys(in path: Predicate.ParameterPath) -> Set<ExactString> {
        var keys = path.names
        for name in path.names {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { continue }
            keys.insert(String(Substring(name.utf8[dot...].dropFirst())))
        }
        for case .member(let name) in path.inner { keys.insert(name) }
        return keys
    }

    /// Whether a value is a hash from a payload, which every client can see.
    private static func isHash(_ value: String) -> Bool { value.hasPrefix("<hash:") && value.hasSuffix(">") }

    private func refusal(_ names: [String]) -> Problem {
        Problem(
            status: 403, title: "Not permitted",
            detail: """
                values of \(names.joined(separator: ", ")) are stored as hashes. \(journalReaders) may ask for them by \
                value; others can ask for the hash that an event shows, <hash:...>
                """)
    }
}
