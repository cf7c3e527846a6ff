/// Finds parameters, and the members of objects within them, by their paths.
package struct MemberSearch {
    /// The most paths in one type. Types within types can make many of a few.
    private static let maximumPaths = 100
    /// In bytes. Findings have no longer paths, and the store has no longer names of parameters.
    private static let longestPath = 256

    private let entersArrays: Bool
    private let isWanted: (Parameter) -> Bool
    /// The paths in the objects that were searched.
    private var ofObject: [ObjectIdentifier: [ExactString]] = [:]

    package init(entersArrays: Bool, where isWanted: @escaping (Parameter) -> Bool) {
        self.entersArrays = entersArrays
        self.isWanted = isWanted
    }

    /// Returns the name of a parameter if it is wanted, and the paths of wanted members within it, in the order of the
    /// file: `device.id`, or `items[].price` in an array.
    package mutating func paths(in parameter: Parameter) -> [ExactString] {
        let own = isWanted(parameter) ? [ExactString(parameter.name)] : []
        var (type, way) = (parameter.type.checked, parameter.name)
        while entersArrays, case .array(let element, _, _) = type {
            type = element.checked
            way += "[]"
        }
        guard let object = type.object else { return own }
        return own
            + paths(in: object).lazy.map { ExactString("\(way).\($0)") }.filter {
                $0.text.utf8.count <= Self.longestPath
            }
    }

    private mutating func paths(in object: ObjectType) -> [ExactString] {
        if let known = ofObject[ObjectIdentifier(object)] { return known }
        var paths: [ExactString] = []
        for member in object.members.firstOfEachName where paths.count < Self.maximumPaths {
            paths += self.paths(in: member).prefix(Self.maximumPaths - paths.count)
        }
        ofObject[ObjectIdentifier(object)] = paths
        return paths
    }
}
