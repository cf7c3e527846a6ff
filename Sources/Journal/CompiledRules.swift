import Model

/// The `sources` rules in the form in which the decoder applies them to an entry's fields, one field at a time, in any
/// order.
final class CompiledRules {
    /// Other uses of a field besides conditions and payloads.
    enum Role: Sendable, Hashable {
        case none, sender(SenderField), priority, pid, lineBreak, containerPart, stream, messageID
    }

    /// A field that a rule needs, or that every entry needs.
    struct Field {
        var role: Role
        /// The index of the payload that it may be; rules with the same payload field share it.
        var payload: Int?
        /// The conditions on it: for each group, one of its globs must match one of the field's values.
        var groups: [Int] = []
        /// Whether it may have a part of an event's key.
        var isOfKey = false
    }

    /// One rule's conditions on one field.
    struct Group {
        var globs: [Glob]
        /// Whether an entry without the field matches too, as with CATEGORY, where a missing field means the empty
        /// string.
        var fitsAbsence: Bool
    }

    struct Rule {
        var source: SourceRule
        var groups: Range<Int>
        /// The payloads that it asks for, in order.
        var payloads: [Int]
        /// Whether the name comes from the entry, which must then have a SUBSYSTEM.
        var needsSubsystem: Bool
        /// The fields that may have parts of the key.
        var keyFields: [Int]
    }

    /// The table of the names of `fields`.
    let names: FieldTable
    let fields: [Field]
    let groups: [Group]
    let rules: [Rule]
    let payloadCount: Int
    /// The index of the field that is used where a rule's own payload fields are missing.
    let message: Int

    /// The standard fields. Those of `SenderField.allCases` come first: a field's place there is its index in `fields`.
    private static let standardFields: [(name: String, role: Role)] =
        SenderField.allCases.map { ($0.journalName, .sender($0)) } + [
            ("PRIORITY", .priority), ("_PID", .pid), ("_LINE_BREAK", .lineBreak),
            ("CONTAINER_PARTIAL_MESSAGE", .containerPart), ("_STREAM_ID", .stream), ("MESSAGE_ID", .messageID),
        ]

    init(_ sources: [SourceRule]) {
        var indices: [ExactString: Int] = [:]
        var names: [String] = []
        var (fields, groups, rules, payloadCount) = ([Field](), [Group](), [Rule](), 0)
        func index(of name: String, role: Role = .none) -> Int {
            if let index = indices[name] { return index }
            indices[name] = names.count
            names.append(name)
            fields.append(Field(role: role))
            return names.count - 1
        }
        for (name, role) in Self.standardFields { _ = index(of: name, role: role) }

        func payload(of name: String) -> Int {
            let field = index(of: name)
            let payload = fields[field].payload ?? payloadCount
            if payload == payloadCount { payloadCount += 1 }
            fields[field].payload = payload
            return payload
        }
        let message = payload(of: "MESSAGE")

        for source in sources {
            let firstGroup = groups.count
            var groupOfField: [Int: Int] = [:]
            for condition in source.conditions {
                let field = index(of: condition.field)
                if let group = groupOfField[field] {
                    groups[group].globs.append(condition.value)
                } else {
                    groupOfField[field] = groups.count
                    fields[field].groups.append(groups.count)
                    groups.append(Group(globs: [condition.value], fitsAbsence: false))
                }
            }
            if let group = groupOfField[SenderField.category.place] {
                groups[group].fitsAbsence = groups[group].globs.contains { $0.matches("") }
            }
            let keyFields = source.keyFields.map { index(of: $0.text) }
            for field in keyFields { fields[field].isOfKey = true }
            rules.append(
                Rule(
                    source: source, groups: firstGroup..<groups.count,
                    payloads: source.payloadFields.map { payload(of: $0.text) },
                    needsSubsystem: source.name == nil, keyFields: keyFields))
        }
        self.names = FieldTable(names)
        self.fields = fields
        self.groups = groups
        self.rules = rules
        self.payloadCount = payloadCount
        self.message = message
    }
}
