internal import GRDB
internal import Model

/// Counts stored events by reading them: what a filter on payloads needs, since no counter knows what they say.
struct ReadUse<Name: UseName>: Sendable {
    private static var eventsPerStep: Int { 1000 }

    private let filter: EventFilter
    private let names: @Sendable (Event, EventUseKey) -> [Name]
    private var after: Int64?
    /// What comes while it reads is not read: it would never end where events come faster.
    private var before: Int64?
    private(set) var table = UseTable<Name>()

    /// - Parameter names: what an event counts as, once for each.
    init(_ filter: EventFilter, names: @escaping @Sendable (Event, EventUseKey) -> [Name]) {
        self.filter = filter
        self.names = names
    }

    /// - Returns: whether there is more.
    mutating func step(_ db: Database, _ catalog: SeriesCatalog, _ turn: ReadTurn) throws -> Bool {
        let query = EventQuery(
            filter: filter, after: after, before: before, order: .oldest, limit: Self.eventsPerStep)
        var reader = try EventReader(db, catalog: catalog, query: query, turn: turn)
        let page = try reader.page()
        for event in page.events {
            let time = Int64(bitPattern: event.realtimeMicroseconds)
            let sum = UseSum(count: 1, times: time...time, lastEvent: event.id)
            let series = Series(
                origin: event.origin, level: event.level, resolution: event.resolution, kind: event.kind)
            for name in names(event, EventUseKey(series)) { table.add(sum, to: name) }
        }
        after = page.next
        before = before ?? page.newestEventID + 1
        return after != nil
    }
}
