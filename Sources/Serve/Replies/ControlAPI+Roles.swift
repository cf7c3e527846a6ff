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
        try filter.whole.check()
        let given = [(ParameterRole.user, users), (.device, devices)].filter { !$0.1.isEmpty }
        guard !given.isEmpty || !filter.parameters.isEmpty else { return filter }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        var filter = filter
        for (role, values) in given {
            let names = dictionaries.reduce(into: Set<ExactString>()) { $0.formUnion($1.paths(of: role)) }
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
        for index in filter.parameters.indices {
            let asked = Self.keys(in: filter.parameters[index].names).intersection(hashed)
            guard !asked.isEmpty else { continue }
            let guesses = filter.parameters[index].values.filter { !Self.isHash($0.text) }
            guard !guesses.isEmpty else { continue }
            guard try await journalReaders.allows(context) else {
                throw refusal(asked.sorted().map(\.text))
            }
            filter.parameters[index].values.formUnion(guesses.map { ExactString(daemon.hashed($0.text)) })
        }
        return filter
    }

    /// Returns the names, and for paths such as `device.id` the last key: privacy goes by that name.
    private static func keys(in names: Set<ExactString>) -> Set<ExactString> {
        var keys = names
        for name in names {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { continue }
            keys.insert(String(Substring(name.utf8[dot...].dropFirst())))
        }
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
