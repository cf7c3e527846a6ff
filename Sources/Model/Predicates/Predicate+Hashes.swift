extension Predicate {
    /// Returns the parameters that it compares with values, of those whose values may be stored as hashes.
    /// - Parameters:
    ///   - names: the names of parameters with hashed values.
    ///   - withoutCase: whether only those count that are compared without regard to upper and lower case.
    package func valuesAsked(of names: Set<ExactString>, withoutCase: Bool = false) -> Set<ExactString> {
        var asked: Set<ExactString> = []
        for case .parameter(let path, .among(let values, let ignoresCase)) in conditions
        where (ignoresCase || !withoutCase) && values.contains(where: { !$0.isPlaceholder }) {
            asked.formUnion(path.keys.intersection(names))
        }
        return asked
    }

    /// Returns the predicate that also finds the hashes of the values that it asks for.
    /// - Parameters:
    ///   - names: the names of parameters with hashed values.
    ///   - hash: returns what is stored instead of a value.
    package func withHashes(of names: Set<ExactString>, _ hash: (String) -> String) -> Predicate {
        mapConditions { condition in
            guard case .parameter(let path, .among(let values, let ignoresCase)) = condition,
                !path.keys.isDisjoint(with: names)
            else { return condition }
            let hashes = values.filter { !$0.isPlaceholder }.map { ExactString(hash($0.text)) }
            return .parameter(path, .among(values.union(hashes), ignoresCase: ignoresCase))
        }
    }
}

extension Predicate.ParameterPath {
    /// The names, and the parts of paths such as `device.id`: privacy goes by the name of a member, at any depth.
    package var keys: Set<ExactString> {
        var keys = names
        for case .member(let name) in inner { keys.insert(name) }
        for name in keys where name.utf8.contains(UInt8(ascii: ".")) {
            keys.formUnion(name.utf8.split(separator: UInt8(ascii: ".")).map { ExactString(String(Substring($0))) })
        }
        return keys
    }
}
