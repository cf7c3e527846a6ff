internal import GRDB
internal import Model

/// Which parameter names that payloads made up are counted under their own names: for each definition a bounded number,
/// since senders make up more. What was read of the table is remembered for a bounded number of definitions.
struct FindingNames: Sendable {
    static let capacity = 100
    private static let definitionsKept = 256

    private struct Definition: Hashable {
        var dictionary: String?
        var key: EventKey?
    }

    private var names: [Definition: Set<String>] = [:]

    /// To be called whenever rows may be gone: after a transaction that failed, after retention.
    mutating func forget() { names.removeAll() }

    /// What `finding_use` has, or is to have, for the parameter of a finding.
    mutating func name(
        _ parameter: String, of rule: String, kind: EventKind, _ db: Database
    ) throws -> String {
        guard FindingUseKey.isNamedByPayload(rule) else { return parameter }
        let definition = Definition(dictionary: kind.dictionary, key: kind.key)
        if names[definition] == nil {
            let known = try Self.load(definition, db)
            if names.count >= Self.definitionsKept { forget() }
            names[definition] = known
        }
        if names[definition]?.contains(parameter) ?? false { return parameter }
        guard names[definition].map({ $0.count < Self.capacity }) ?? false else { return FindingUseKey.other }
        names[definition]?.insert(parameter)
        return parameter
    }

    private static func load(_ definition: Definition, _ db: Database) throws -> Set<String> {
        let statement = try BareStatement(
            db,
            """
            SELECT DISTINCT f.parameter FROM series AS s CROSS JOIN finding_use AS f ON f.series = s.id
            WHERE s.event_name IS ? AND s.event_category IS ? AND s.dictionary IS ?
            AND f.rule IN ('unknown-parameter', 'duplicate-key') LIMIT \(capacity + 1)
            """)
        try statement.bind(1, definition.key?.name)
        try statement.bind(2, definition.key?.category)
        try statement.bind(3, definition.dictionary)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        names.remove(FindingUseKey.other)
        return names
    }
}
