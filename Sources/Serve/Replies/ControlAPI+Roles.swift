import API
import Model
import Store

extension ControlAPI {
    /// The filter with users and devices as conditions on the parameters that definitions call so; and where values may
    /// be stored hashed, their hashes besides.
    func filter(_ filter: EventFilter, users: [String], devices: [String]) async throws -> EventFilter {
        try filter.checkPattern()
        let given = [(ParameterRole.user, users), (.device, devices)].filter { !$0.1.isEmpty }
        guard !given.isEmpty || !filter.parameters.isEmpty else { return filter }
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        let parameters = dictionaries.flatMap { Array($0.allParameters) }
        var filter = filter
        for (role, values) in given {
            let names = Set(parameters.lazy.filter { $0.role == role }.map(\.name))
            guard !names.isEmpty else {
                throw Problem(
                    status: 422, title: "Bad query",
                    detail: "\(role.rawValue): no definition says which parameter names the \(role.rawValue): write "
                        + "`- \(role.rawValue)` below it, in the list that describes it",
                    parameter: role.rawValue)
            }
            filter.parameters.append(ParameterCondition(names: names, values: Set(values)))
        }
        let hashed = Set(dictionaries.lazy.flatMap(\.protectedNames).filter { $0.value == .hash }.map(\.key))
        for index in filter.parameters.indices
        where !hashed.isDisjoint(with: filter.parameters[index].names) {
            for value in filter.parameters[index].values {
                filter.parameters[index].values.insert(daemon.hashed(value))
            }
        }
        return filter
    }
}
