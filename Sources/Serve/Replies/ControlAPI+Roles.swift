import API
import Model
import Predicates
import Store

extension ControlAPI {
    /// Adds what only the dictionaries know: what a predicate means, and conditions for users and devices on the parameters with
    /// these roles. If values may be stored as hashes, the conditions match the hashes, too.
    /// - Throws: `Problem` if a role has no parameter, or a predicate asks for what does not exist; 403 if a value would be
    ///   hashed for a client that may not read the journal, since such a client could learn values by guessing them.
    func filter(
        _ filter: EventFilter, _ predicate: String?, users: [String], devices: [String], from context: ControlContext
    ) async throws -> EventFilter {
        var filter = filter
        let given = [(ParameterRole.user, users), (.device, devices)].filter { !$0.1.isEmpty }
        guard !given.isEmpty || !filter.parameters.isEmpty || predicate != nil else {
            try filter.whole.check()
            return filter
        }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        for (role, values) in given {
            let names = Self.paths(of: role, dictionaries)
            guard !names.isEmpty else {
                throw Problem(
                    status: 422, title: "Bad query",
                    detail: "\(role.rawValue): no definition has a parameter for the \(role.rawValue): add the line "
                        + "`- \(role.rawValue)` to the list below the parameter",
                    parameter: role.rawValue)
            }
            filter.parameters.append(ParameterCondition(names: names, values: Set(exact: values)))
        }
        if let predicate { filter.predicate = try self.predicate(predicate, dictionaries) }
        try filter.whole.check()
        return try await withHashes(filter, dictionaries, context)
    }

    private func predicate(_ text: String, _ dictionaries: [EventDictionary]) throws -> Predicate {
        var names = PredicateBinder.Names()
        for role in ParameterRole.allCases { names.roles[role] = Self.paths(of: role, dictionaries) }
        for dictionary in dictionaries { dictionary.forEachParameter { names.parameters.insert($0.name) } }
        do throws(PredicateError) {
            return try PredicateBinder.bind(
                PredicateParser.parse(text), of: text, times: TimeExpression(now: now(), zone: .utc), names)
        } catch {
            throw Problem(status: 422, title: "Bad query", detail: "predicate: \(error)", parameter: "predicate")
        }
    }

    private static func paths(of role: ParameterRole, _ dictionaries: [EventDictionary]) -> Set<ExactString> {
        dictionaries.reduce(into: []) { $0.formUnion($1.paths(of: role)) }
    }

    // MARK: hashes

    private func withHashes(
        _ filter: EventFilter, _ dictionaries: [EventDictionary], _ context: ControlContext
    ) async throws -> EventFilter {
        let hashed = Set(dictionaries.lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
        var asked: Set<ExactString> = []
        filter.whole.forEachCondition { condition in
            guard case .parameter(let path, .among(let values, _)) = condition,
                values.contains(where: { !Self.isHash($0.text) })
            else { return }
            asked.formUnion(Self.keys(in: path).intersection(hashed))
        }
        guard !asked.isEmpty else { return filter }
        guard try await journalReaders.allows(context) else { throw refusal(asked.sorted().map(\.text)) }
        var filter = filter
        func withHashes(_ path: Predicate.ParameterPath, _ values: Set<ExactString>) -> Set<ExactString> {
            guard !Self.keys(in: path).isDisjoint(with: hashed) else { return values }
            return values.union(
                values.filter { !Self.isHash($0.text) }.map { ExactString(daemon.hashed($0.text)) })
        }
        for index in filter.parameters.indices {
            let path = Predicate.ParameterPath(names: filter.parameters[index].names)
            filter.parameters[index].values = withHashes(path, filter.parameters[index].values)
        }
        filter.predicate = filter.predicate?.mapConditions { condition in
            guard case .parameter(let path, .among(let values, let ignoresCase)) = condition else { return condition }
            return .parameter(path, .among(withHashes(path, values), ignoresCase: ignoresCase))
        }
        return filter
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
