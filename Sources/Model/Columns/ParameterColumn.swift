/// A column of a table with the events of one definition: of a parameter, or of a member of an object.
package struct ParameterColumn: Sendable, Hashable {
    /// Where payloads have the value: `device.os`, `properties.total`. A common parameter has its name, also where it may
    /// stand in an object on the way to the others.
    @Exact package var path: String
    /// Whether it is of a common parameter.
    package var isCommon: Bool
    /// See `ColumnNames`.
    @Exact package var name: String
    package var parameter: Parameter
    /// Whether an event may lack it, because it or an object around it is optional or obsolete.
    package var mayBeNull: Bool
}

extension EventDictionary {
    /// Returns the columns of an event: those of the common parameters, of the category's, and its own, in the order of the
    /// definition. A common parameter thus has the same column in all events.
    ///
    /// The members of an object are columns, at any depth. Anything else is one column: also an array, an object that is
    /// replaced as a whole because it is private, one without members, and one with whose members there would be more than
    /// 1,000 columns.
    /// - Parameter layout: where payloads have the parameters. Names of columns do not have the object that contains them.
    package func columns(
        of definition: Definition, in category: DefinitionCategory, layout: PayloadLayout
    ) -> [ParameterColumn] {
        let own = definition.parameters.firstOfEachName
        let ownNames = Set(exact: own.map(\.name))
        let group = category.parameters.firstOfEachName.filter { !ownNames.contains($0.name) }
        var shared = common.firstOfEachName
        if layout.parametersAt == nil {
            let names = ownNames.union(Set(exact: group.map(\.name)))
            shared.removeAll { names.contains($0.name) }
        }
        var columns = ParameterColumns()
        columns.add(shared, in: nil, areCommon: true)
        columns.add(group + own, in: layout.parametersAt, areCommon: false)
        return columns.columns
    }
}

/// Collects the columns of an event.
private struct ParameterColumns {
    /// The most columns for which objects are taken apart. Types within types can make any number of a few; SQLite and
    /// PostgreSQL permit 2,000 and 1,600.
    static let maximumCount = 1000

    private(set) var columns: [ParameterColumn] = []
    private var names = ColumnNames()
    /// How many columns the types make that were looked at.
    private var counts: [ObjectIdentifier: Int] = [:]

    /// A place in a payload.
    private struct Place {
        /// The path up to it in the payload, and in names of columns; `nil` at the outermost place.
        var path: MemberPath?
        var namePath: MemberPath?
        var isCommon: Bool
        var mayBeNull = false
    }

    /// - Parameter object: where payloads have the parameters; `nil` if it is the payload itself.
    mutating func add(_ parameters: [Parameter], in object: MemberPath?, areCommon: Bool) {
        add(parameters, at: Place(path: object, isCommon: areCommon))
    }

    private mutating func add(_ parameters: [Parameter], at place: Place) {
        for parameter in parameters {
            let path = MemberPath(parameter.name, in: place.path)
            let namePath = MemberPath(parameter.name, in: place.namePath)
            let mayBeNull = place.mayBeNull || !parameter.isRequired
            if let object = parameter.objectInColumns, columns.count + count(of: object) <= Self.maximumCount {
                add(
                    object.members.firstOfEachName,
                    at: Place(path: path, namePath: namePath, isCommon: place.isCommon, mayBeNull: mayBeNull))
            } else {
                columns.append(
                    ParameterColumn(
                        path: path.text, isCommon: place.isCommon, name: names.name(for: namePath.text),
                        parameter: parameter, mayBeNull: mayBeNull))
            }
        }
    }

    /// Returns how many columns an object makes, at most one more than there may be.
    private mutating func count(of object: ObjectType) -> Int {
        if let known = counts[ObjectIdentifier(object)] { return known }
        var count = 0
        for member in object.members.firstOfEachName {
            let ofMember = member.objectInColumns.map { self.count(of: $0) } ?? 1
            count = min(count + ofMember, Self.maximumCount + 1)
        }
        counts[ObjectIdentifier(object)] = count
        return count
    }
}

extension Parameter {
    /// The object whose members may have columns.
    fileprivate var objectInColumns: ObjectType? {
        guard privacy == .public, let object = type.object, !object.members.isEmpty else { return nil }
        return object
    }
}
