internal import GRDB
internal import Model

/// Reads events by their ids, in any order, within one snapshot of the database. Each block that has some of them is
/// read once.
struct EventLookup {
    private let db: Database
    private let frames = BlockFrames()
    private let cache: ColumnCache.Reader
    private let ids: [Int64]
    /// The ids, ascending.
    private let sorted: [Int64]
    private let bytes: Int
    private let turn: ReadTurn
    /// Finds the events that are marked.
    private let highlighter: BlockMatcher?

    private var events: [Int64: Event] = [:]
    private var highlighted: Set<Int64> = []
    /// The ranges of ids in which all requested events were read.
    private var readRanges: [ClosedRange<Int64>] = []
    private var readBytes = 0

    /// The maximum size of the payloads that are read from several blocks when not all of them are returned.
    private static let mostBytes = 4 << 20

    /// - Parameter highlight: which of the events are marked.
    init(
        _ db: Database, _ ids: [Int64], bytes: Int, highlighting highlight: Predicate? = nil, cache: ColumnCache.Reader,
        turn: ReadTurn
    ) throws(StoreError) {
        self.db = db
        self.cache = cache
        self.bytes = bytes
        self.turn = turn
        highlighter = try highlight.map { predicate throws(StoreError) in try BlockMatcher(predicate) }
        // Of more, the marks would take longer than the turn.
        self.ids = if let highlighter, highlighter.isSlow { Array(ids.prefix(highlighter.stride)) } else { ids }
        sorted = self.ids.sorted()
    }

    mutating func read() throws -> (EventPage, handled: Int) {
        var page = EventPage()
        var left = bytes
        for (place, id) in ids.enumerated() {
            if !readRanges.contains(where: { $0.contains(id) }), try !read(around: id, &page) { return (page, place) }
            guard let event = events.removeValue(forKey: id) else { continue }
            guard event.contentBytes <= left else {
                if page.events.isEmpty { page.end.needed = event.contentBytes }
                return (page, place)
            }
            left -= event.contentBytes
            page.events.append(event)
            if highlighted.contains(id) { page.highlighted.insert(id) }
        }
        return (page, ids.count)
    }

    /// Reads the requested events from the block that an event is in, or from the open events.
    /// - Returns: whether there is room for the event.
    private mutating func read(around id: Int64, _ page: inout EventPage) throws -> Bool {
        if let oldest = sorted.first, let newest = sorted.last,
            let open = try StoredRange.parts(of: oldest...newest, db).open, open.contains(id)
        {
            readRanges.append(open)
            try take(OpenEvents(db, ids: open))
            return true
        }
        var walk = try BlockWalk(db, ids: id...id, isAscending: true, .everything)
        guard case .block(let block) = try walk.next() else {
            readRanges.append(id...id)
            return true
        }
        if block.isOneLargePayload, block.payloadBytes > bytes {
            if page.events.isEmpty { page.end.needed = block.payloadBytes }
            return false
        }
        guard page.events.isEmpty || readBytes + block.payloadBytes <= Self.mostBytes else { return false }
        readRanges.append(block.ids)
        readBytes += block.payloadBytes
        try block.read(db, frames, cache) { try take($0) }
        return true
    }

    private mutating func take(_ events: some EventColumns) throws {
        guard events.count > 0 else { return }
        let column = try events.ids()
        var places: [Int] = []
        for id in sorted.drop(while: { $0 < column[0] }).prefix(while: { $0 <= column[events.count - 1] }) {
            let place = (0..<events.count).endOfThose { column[$0] < id }
            if column[place] == id, places.last != place { places.append(place) }
        }
        if let highlighter { highlighted.formUnion(try highlighter.ids(of: events, among: places, until: turn)) }
        for event in try events.events(places) { self.events[event.id] = event }
    }
}
