internal import GRDB
package import Model

/// Where an event is in the order of time; events of one time are in the order of arrival.
package struct EventPlace: Sendable, Hashable, Comparable {
    /// Microseconds since 1970.
    package var time: Int64
    package var id: Int64

    package static func < (one: EventPlace, other: EventPlace) -> Bool { (one.time, one.id) < (other.time, other.id) }

    /// Before all others, and behind all.
    static let first = EventPlace(time: .min, id: .min)
    static let last = EventPlace(time: .max, id: .max)
}

/// Events that were sent last.
package struct NewestEvents: Sendable {
    /// The newest first.
    package var places: [EventPlace] = []
    /// Some of the events, by their ids: those that were read where they were found.
    package var read: [Int64: Event] = [:]
    /// Whether there may be more: also where a block is damaged, which is an error for who goes on.
    package var hasMore = false
}

/// Finds the events that were sent last, of those that somebody looks for, by a bounded part of the blocks in each snapshot of
/// the database. Files may be read late: what came last need not have been sent last.
struct NewestScan: Sendable {
    private let filter: EventFilter
    private let ids: ClosedRange<Int64>
    private let before: EventPlace
    private var newest: NewestPlaces
    /// The first event that was looked at as a row. It may be in a block by now, and is not looked at again.
    private var firstRow: Int64?
    /// The block that was gone through last, by its latest time and its first id.
    private var passed = EventPlace.last
    /// Whether it ended early, at a block that is damaged.
    private(set) var isCut = false
    /// Events that were found, as far as there is room for them: their blocks need not be read once more.
    private var read: [Int64: Event] = [:]
    private var bytesLeft: Int
    private let limit: Int

    /// Of more, only the places are looked at.
    private static let mostRead = 1000

    /// - Parameters:
    ///   - ids: of the events that are wanted.
    ///   - before: only events that were sent before this place.
    ///   - bytes: how many bytes the payloads have, at most, of events that are read where they are found.
    init(of limit: Int, matching filter: EventFilter, ids: ClosedRange<Int64>, before: EventPlace, bytes: Int) {
        self.filter = filter
        self.ids = ids
        self.before = before
        self.limit = limit
        bytesLeft = limit <= Self.mostRead ? bytes : 0
        newest = NewestPlaces(limit: limit)
    }

    /// What was found: the places, the newest first, and some of the events.
    var found: NewestEvents {
        let places = newest.sorted
        let ids = Set(places.map(\.id))
        return NewestEvents(
            places: places, read: read.filter { ids.contains($0.key) }, hasMore: isCut || places.count == limit)
    }

    /// - Returns: whether there is more to look at.
    mutating func step(_ db: Database, _ cache: ColumnCache.Reader, _ turn: ReadTurn) throws -> Bool {
        var matcher = try BlockMatcher(filter)
        if firstRow == nil { try lookAtRows(db, &matcher) }
        var walk = try BlockWalk(db, ids: ids, newestBefore: passed, matcher)
        let frames = BlockFrames()
        do {
            while let step = try walk.next(until: turn, since: newest.least?.time) {
                passed = walk.place
                if case .block(let block) = step, block.ids.lowerBound < firstRow ?? .max {
                    try block.read(db, frames, cache) { try look(at: $0, &matcher, turn) }
                }
                if turn.isOver { return true }
            }
            return false
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            // What was sent after all that the block may have is known for sure. Going on behind that is an error.
            newest.removeAll(until: walk.place.time)
            guard !newest.sorted.isEmpty else { throw error }
            isCut = true
            return false
        }
    }

    private mutating func lookAtRows(_ db: Database, _ matcher: inout BlockMatcher) throws {
        let first = try PackedBlockTable.lastID(db) + 1
        firstRow = first
        guard first <= ids.upperBound else { return }
        let rows = try OpenEvents(db, ids: max(first, ids.lowerBound)...ids.upperBound)
        if rows.count > 0 { try look(at: rows, &matcher, nil) }
    }

    private mutating func look(at events: some EventColumns, _ matcher: inout BlockMatcher, _ turn: ReadTurn?) throws {
        let selection = try matcher.select(events, of: ids, until: turn)
        guard !selection.isEmpty else { return }
        let (ids, times) = (try events.ids(), try events.times())
        var wanted: [(place: EventPlace, event: Int)] = []
        for event in selection {
            let place = EventPlace(time: times[event], id: ids[event])
            if place < before, place > newest.least ?? .first { wanted.append((place, event)) }
        }
        if bytesLeft > 0 { try read(wanted, of: events) }
        for (place, _) in wanted { newest.add(place) }
        newest.settle()
    }

    private mutating func read(_ wanted: [(place: EventPlace, event: Int)], of events: some EventColumns) throws {
        let best = wanted.count > limit ? Array(wanted.sorted { $0.place > $1.place }.prefix(limit)) : wanted
        try events.forEachEvent(of: best.map(\.event).sorted()) { event in
            guard event.payload.count <= bytesLeft else { return }
            bytesLeft -= event.payload.count
            read[event.id] = event.kept()
        }
    }
}

/// The greatest of some places, a bounded number of them.
private struct NewestPlaces: Sendable {
    private let limit: Int
    private var places: [EventPlace] = []
    /// Where there are enough: what is less is none of them.
    private(set) var least: EventPlace?

    init(limit: Int) { self.limit = limit }

    mutating func add(_ place: EventPlace) {
        if let least, place < least { return }
        places.append(place)
        if places.count >= 2 * limit { shrink() }
    }

    /// Finds out the least of those that are enough: exactly when they are enough for the first time, and nearly later.
    mutating func settle() {
        if places.count >= (least == nil ? limit : limit + limit / 4) { shrink() }
    }

    var sorted: [EventPlace] { Array(places.sorted(by: >).prefix(limit)) }

    mutating func removeAll(until time: Int64) { places.removeAll { $0.time <= time } }

    private mutating func shrink() {
        places = sorted
        if places.count == limit { least = places.last }
    }
}
