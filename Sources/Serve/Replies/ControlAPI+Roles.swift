import API
import Model
import Store

extension ControlAPI {
    /// Adds conditions for users and devices on the parameters with these roles. If values may be stored as hashes, the
    /// conditions match the hashes, too.
    /// - Throws: `Problem` if a role has no parameter; 403 if a value would be hashed for a client that may not read
    ///   the journal, since such a client could learn values by guessing them.
    func filter(
        _ filter: EventFilter, users: [String], devices: [String], from context: ControlContext
    ) async throws -> EventFilter {
        try filter.checkPattern()
        let given = [(ParameterRole.user, users), (.device, devices)].filter { !$0.1.isEmpty }
        guard !given.isEmpty || !filter.parameters.isEmpty else { return filter }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        var filter = filter
        for (role, values) in given {
            let names = dictionaries.names(of: role)
            guard !names.isEmpty else {
                throw Problem(
                    status: 422, title: "Bad query",
                    detail: "\(role.rawValue): no definition has a parameter for the \(role.rawValue): add the line "
                        + "`- \(role.rawValue)` to the list below the parameter",
                    parameter: role.rawValue)
            }
            filter.parameters.append(ParameterCondition(names: names, values: Set(exact: values)))
        }
        let hashed = Set(dictionaries.lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
        for index in filter.parameters.indices
        where !hashed.isDisjoint(with: filter.parameters[index].names) {
            let guesses = filter.parameters[index].values.filter { !Self.isHash($0.text) }
            guard !guesses.isEmpty else { continue }
            guard try await journalReaders.allows(context) else {
                throw refusal(hashed.intersection(filter.parameters[index].names).sorted().map(\.text))
            }
            filter.parameters[index].values.formUnion(guesses.map { ExactString(daemon.hashed($0.text)) })
        }
        return filter
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

extension [EventDictionary] {
    /// The names of the parameters with a role.
    fileprivate func names(of role: ParameterRole) -> Set<ExactString> {
        var names: Set<ExactString> = []
        for dictionary in self {
            dictionary.forEachParameter { if $0.role == role { names.insert(ExactString($0.name)) } }
        }
        return names
    }
}
