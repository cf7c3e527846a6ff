internal import GRDB
internal import Model

/// Which parameter names that payloads made up are counted under their own names: for each event a bounded number, since
/// senders make up more. What was read of the table is remembered for a bounded number of events.
struct FindingNames: Sendable {
    static let capacity = 100
    private static let eventsKept = 256

    /// By the row of `event_use`.
    private var names: [Int64: Set<ExactString>] = [:]

    /// To be called whenever rows may be gone: after a transaction that failed, after retention.
    mutating func forget() { names.removeAll() }

    /// What `finding_use` has, or is to have, for the parameter of a finding.
    mutating func name(_ parameter: String, of rule: String, eventUse: Int64, _ db: Database) throws -> String {
        guard FindingUseKey.isNamedByPayload(rule) else { return parameter }
        if names[eventUse] == nil {
            let known = try Self.load(eventUse, db)
            if names.count >= Self.eventsKept { forget() }
            names[eventUse] = known
        }
        if names[eventUse]?.contains(parameter) ?? false { return parameter }
        guard names[eventUse].map({ $0.count < Self.capacity }) ?? false else { return EventUseKey.other }
        names[eventUse]?.insert(parameter)
        return parameter
    }

    private static func load(_ eventUse: Int64, _ db: Database) throws -> Set<ExactString> {
        let statement = try BareStatement(
            db,
            reusing: """
                SELECT DISTINCT parameter FROM finding_use WHERE event_use = ?
                AND rule IN ('unknown-parameter', 'duplicate-key') LIMIT \(capacity + 1)
                """)
        try statement.bind(1, eventUse)
        var names: Set<ExactString> = []
        while try statement.step() { names.insert(statement.text(0)) }
        names.remove(ExactString(EventUseKey.other))
        return names
    }
}
