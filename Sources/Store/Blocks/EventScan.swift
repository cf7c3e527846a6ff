internal import GRDB
internal import Model

/// Reads one page of the events that somebody looks for, within one snapshot of the database: blocks that may have them, in
/// the order asked for, and of those the columns that it takes.
struct EventScan {
    private let db: Database
    private let frames = BlockFrames()
    private let cache: ColumnCache.Reader?
    private let query: EventQuery
    private let turn: ReadTurn
    private var matcher: BlockMatcher

    private var events: [Event] = []
    private var bytesLeft: Int
    private(set) var found = 0
    private(set) var lastFound: Int64?
    private var needed: Int?
    /// The event behind which (in the order of the query) nothing has been looked at; `nil` when all was.
    private var reached: Int64?

    /// About what events have together where nobody says more.
    private static let pageBytes = 1 << 20

    /// - Throws: `.invalidPattern` when the query's `grep` is not a regular expression.
    /// - Parameter cache: as it was before the snapshot began; `nil` to do without.
    init(_ db: Database, query: EventQuery, cache: ColumnCache? = nil, turn: ReadTurn) throws(StoreError) {
        self.db = db
        self.cache = cache?.current
        self.query = query
        self.turn = turn
        matcher = try BlockMatcher(query.filter)
        bytesLeft = query.bytes ?? Self.pageBytes
    }

    private var isAscending: Bool { query.order == .oldest }

    mutating func page() throws -> EventPage {
        guard let stored = try StoredRange.ids(db) else { return EventPage() }
        guard !query.isEmpty else { return EventPage(newestEventID: stored.upperBound) }
        let low = max(stored.lowerBound, (query.after ?? 0).addingReportingOverflow(1).partialValue)
        let high = min(stored.upperBound, max(query.before ?? .max, 1) - 1)
        guard low <= high, (query.after ?? 0) < .max else { return EventPage(newestEventID: stored.upperBound) }
        try scan(low...high)
        let end = isAscending ? high : low
        return EventPage(
            events: events, next: reached.flatMap { $0 == end ? nil : $0 }, newestEventID: stored.upperBound,
            needed: needed)
    }

    private mutating func scan(_ ids: ClosedRange<Int64>) throws {
        let lastPacked = try PackedBlockTable.lastID(db)
        let packed = ids.lowerBound <= lastPacked ? ids.lowerBound...min(ids.upperBound, lastPacked) : nil
        let open = ids.upperBound > lastPacked ? max(ids.lowerBound, lastPacked + 1)...ids.upperBound : nil
        if isAscending {
            if let packed, try !scanBlocks(packed) { return }
            if let open { _ = try take(OpenEvents(db, ids: open), within: open) }
        } else {
            if let open, try !take(OpenEvents(db, ids: open), within: open) { return }
            if let packed { _ = try scanBlocks(packed) }
        }
    }

    /// - Returns: whether the scan may go on.
    private mutating func scanBlocks(_ ids: ClosedRange<Int64>) throws -> Bool {
        var walk = try BlockWalk(db, ids: ids, isAscending: isAscending, matcher)
        /// The last event of the blocks that were gone through.
        var passed: Int64?
        while true {
            do {
                switch try walk.next(until: turn) {
                case nil: return true
                case .over(let looked): return stop(at: end(of: looked.clamped(to: ids)))
                case .block(let block):
                    let part = block.ids.clamped(to: ids)
                    guard try scan(block, part) else { return false }
                    passed = end(of: part)
                    guard !turn.isOver else { return stop(at: end(of: part)) }
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT && passed != nil {
                // What comes before it is whole. Who goes on behind that is told.
                return stop(at: passed ?? 0)
            }
        }
    }

    private mutating func scan(_ block: StoredBlock, _ part: ClosedRange<Int64>) throws -> Bool {
        if block.isOneLargePayload, let most = query.bytes, block.payloadBytes > most, !query.onlyIDs {
            // There is no room for it, whether it is wanted or not.
            if events.isEmpty { needed = block.payloadBytes }
            return stop(before: part)
        }
        return try block.read(db, frames, cache) { try take($0, within: part) }
    }

    /// The last of these ids in the order of the query.
    private func end(of ids: ClosedRange<Int64>) -> Int64 { isAscending ? ids.upperBound : ids.lowerBound }

    /// - Parameter range: of ids; others are not wanted.
    /// - Returns: whether the scan may go on.
    private mutating func take(_ block: some EventColumns, within range: ClosedRange<Int64>) throws -> Bool {
        guard block.count > 0 else { return true }
        let ids = try block.ids()
        var selection = try matcher.select(block, of: range, until: turn)
        if !isAscending { selection.reverse() }
        let room = query.limit - found
        let isCut = selection.count >= room
        if isCut { selection.removeSubrange(room...) }
        guard try query.onlyIDs || read(block, selection, ids) else { return false }
        if query.onlyIDs { note(selection.count, last: selection.last.map { ids[$0] }) }
        return isCut ? stop(at: lastFound ?? 0) : true
    }

    /// Reads events as far as there is room for their payloads.
    /// - Parameter selection: in the order of the query.
    /// - Returns: whether there was room for all.
    private mutating func read(_ block: some EventColumns, _ selection: [Int], _ ids: PackedIntegers) throws -> Bool {
        var read: [Event] = []
        read.reserveCapacity(selection.count)
        try block.forEachEvent(of: isAscending ? selection : selection.reversed()) { read.append($0) }
        for event in isAscending ? read : read.reversed() {
            let bytes = event.payload.count
            // Where nobody says how much there may be, one event is taken whatever it has.
            guard bytes <= bytesLeft || events.isEmpty && query.bytes == nil else {
                if events.isEmpty { needed = bytes }
                return stop(before: event.id...event.id)
            }
            events.append(event)
            bytesLeft -= bytes
            note(1, last: event.id)
        }
        return true
    }

    private mutating func note(_ count: Int, last: Int64?) {
        found += count
        lastFound = last ?? lastFound
    }

    private mutating func stop(before ids: ClosedRange<Int64>) -> Bool {
        stop(at: isAscending ? ids.lowerBound - 1 : ids.upperBound + 1)
    }

    private mutating func stop(at id: Int64) -> Bool {
        reached = id
        return false
    }
}
