import API
import Model

extension ControlAPI {
    /// The query with its users and devices as conditions on the parameters that definitions call so; and where values
    /// may be stored hashed, their hashes besides.
    func withRoles(_ query: EventQuery) async throws -> EventQuery {
        let given = [(ParameterRole.user, query.users), (.device, query.devices)].filter { !$0.1.isEmpty }
        guard !given.isEmpty || !query.filter.parameters.isEmpty else { return query }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        let parameters = dictionaries.flatMap { Array($0.allParameters) }
        var query = query
        for (role, values) in given {
            let names = Set(parameters.lazy.filter { $0.role == role }.map(\.name))
            guard !names.isEmpty else {
                throw Problem(
                    status: 400, title: "Bad query",
                    detail: "\(role.rawValue): no definition says which parameter names the \(role.rawValue): write "
                        + "`- \(role.rawValue)` below it, in the list that describes it")
            }
            query.filter.parameters.append(ParameterCondition(names: names, values: Set(values)))
        }
        let hashed = Set(dictionaries.lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
        for index in query.filter.parameters.indices
        where !hashed.isDisjoint(with: query.filter.parameters[index].names) {
            for value in query.filter.parameters[index].values {
                query.filter.parameters[index].values.insert(daemon.hashed(value))
            }
        }
        return query
    }
}
