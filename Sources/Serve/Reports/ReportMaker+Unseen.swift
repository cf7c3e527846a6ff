import API
import Model
import Store

extension ReportMaker {
    /// What is defined, but was never sent. Nobody waits for what is obsolete.
    func unseen() async throws -> Report<UnseenRow> {
        let (uses, stored) = try await (uses(), store.statistics())
        let defined = uses.with(.resolved, .violating)
        var rows: [UnseenRow] = []
        var total = 0
        for dictionary in dictionaries {
            let name = dictionary.options.name
            let used = DefinitionUses(defined, of: name)
            let unseen = definitions(of: dictionary).filter { !$0.isObsolete && used[$0.key] == nil }
            total += unseen.count
            let room = query.limit - rows.count
            guard room > 0, !unseen.isEmpty else { continue }
            let watched = try await store.watchedSince(dictionary: name)
            rows += unseen.prefix(room).map { definition in
                UnseenRow(
                    dictionary: name, category: definition.key.category, name: definition.key.name,
                    description: definition.description.split(separator: "\n").first.map(String.init) ?? "",
                    watchedSince: watched[definition.key].map(WireTime.init(microseconds:)))
            }
        }
        return Report(.unseen, rows: rows, total: total, lookedAt: try await scope(of: .unseen, uses, stored))
    }
}
