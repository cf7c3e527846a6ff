internal import Model

/// Holds payloads against the conditions of a query on their parameters.
struct ParameterMatcher {
    private struct Condition {
        var names: Set<[UInt8]>
        var values: Set<[UInt8]>
    }

    private let conditions: [Condition]
    private let names: Set<[UInt8]>
    private var members = PayloadMembers()

    /// - Returns: `nil` when there are no conditions.
    init?(_ conditions: [ParameterCondition]) {
        guard !conditions.isEmpty else { return nil }
        self.conditions = conditions.map {
            Condition(names: Set($0.names.map { Array($0.utf8) }), values: Set($0.values.map { Array($0.utf8) }))
        }
        names = self.conditions.reduce(into: []) { $0.formUnion($1.names) }
    }

    mutating func matches(_ payload: UnsafeRawBufferPointer) -> Bool {
        var unmet = Set(conditions.indices)
        members.forEach(of: names, in: payload) { name, value in
            for index in unmet where conditions[index].names.contains(Array(name)) {
                if conditions[index].values.contains(Array(value)) { unmet.remove(index) }
            }
        }
        return unmet.isEmpty
    }
}
