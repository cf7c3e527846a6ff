internal import GRDB
package import Model

/// The place of an event in the order of time. Events with the same time are in the order of arrival.
package struct EventPlace: Sendable, Hashable, Comparable, Codable {
    /// Microseconds since 1970.
    package var time: Int64
    package var id: Int64

    package init(time: Int64, id: Int64) { (self.time, self.id) = (time, id) }

    package static func < (one: EventPlace, other: EventPlace) -> Bool { (one.time, one.id) < (other.time, other.id) }

    /// The places before and after all others.
    static let first = EventPlace(time: .min, id: .min)
    static let last = EventPlace(time: .max, id: .max)
}

/// The events that were sent last.
package struct NewestEvents: Sendable {
    /// The places, the newest first.
    package var places: [EventPlace] = []
    /// Some of the events by their ids: those that were read together with their places.
    package var read: [Int64: Event] = [:]
    /// The ids of those of them that are marked.
    package var highlighted: Set<Int64> = []
    /// Whether there may be more. Also true when a block is damaged; a caller that continues gets the error.
    package var hasMore = false
}

/// Finds the latest events that match a query, by examining a bounded part of the blocks in each snapshot of the
/// database. Files may be read late, so that the events that arrived last need not be those that were sent last.
struct NewestScan: Sendable {
    private let predicate: Predicate
    private let highlight: Predicate?
    private let ids: ClosedRange<Int64>
    private let before: EventPlace
    private var newest: NewestPlaces
    /// The first event that was examined as a row; a higher id if none was. It may be in a block by now, and is not
    /// examined again.
    private var firstRow: Int64?
    /// The block that was examined last, as its latest time and its first id.
    private var passed = EventPlace.last
    /// How far the block after that was examined: its first id, and the last id that was.
    private var begun: (block: Int64, last: Int64)?
    /// Whether the scan ended early at a damaged block.
    private(set) var isCut = false
    /// Matching events, as far as there is room for them, so that their blocks need not be read again.
    private var read: [Int64: Event] = [:]
    private var highlighted: Set<Int64> = []
    private var bytesLeft: Int
    private let limit: Int

    /// The maximum number of events that are read. Of larger results, and where marking is slow, only the places are
    /// collected.
    private static let mostRead = 1000

    /// - Parameters:
    ///   - ids: the range of ids to examine.
    ///   - before: only events that were sent before this place.
    ///   - bytes: the maximum size of the payloads of events that are read together with their places.
    ///   - highlight: which of the events are marked.
    init(
        of limit: Int, matching predicate: Predicate, ids: ClosedRange<Int64>, before: EventPlace, bytes: Int,
        highlighting highlight: Predicate? = nil
    ) {
        self.predicate = predicate
        self.highlight = highlight
        self.ids = ids
        self.before = before
        self.limit = limit
        bytesLeft = limit <= Self.mostRead && highlight?.readsJournal != true ? bytes : 0
        newest = NewestPlaces(limit: limit)
    }

    /// The result: the places, the newest first, and some of the events.
    var found: NewestEvents {
        let places = newest.sorted
        let ids = Set(places.map(\.id))
        return NewestEvents(
            places: places, read: read.filter { ids.contains($0.key) }, highlighted: highlighted.intersection(ids),
            hasMore: isCut || places.count == limit)
    }

    /// - Returns: whether there is more to examine.
    mutating func step(_ db: Database, _ cache: ColumnCache.Reader, _ turn: ReadTurn) throws -> Bool {
        var matcher = try BlockMatcher(predicate)
        if firstRow == nil { try lookAtRows(db, &matcher, turn) }
        var walk = try BlockWalk(db, ids: ids, newestBefore: passed, matcher)
        let frames = BlockFrames()
        do {
            while let step = try walk.next(until: turn, since: newest.least?.time) {
                if case .block(let block) = step, block.ids.lowerBound < firstRow ?? .max {
                    let isDone = try block.read(db, frames, cache) { events in
                        try look(at: events, ofBlock: block.ids.lowerBound, &matcher, turn)
                    }
                    guard isDone else { return true }
                }
                passed = walk.place
                if turn.shouldEnd { return true }
            }
            return false
        } catch let error as DatabaseError where error.isDamage {
            // The events that were sent later than any in the damaged block are certain. A caller that continues from
            // there gets the error.
            newest.removeAll(until: walk.place.time)
            guard !newest.sorted.isEmpty else { throw error }
            isCut = true
            return false
        }
    }

    private mutating func lookAtRows(_ db: Database, _ matcher: inout BlockMatcher, _ turn: ReadTurn) throws {
        let open = try StoredRange.parts(of: ids, db).open
        firstRow = open?.lowerBound ?? .max
        guard let rows = try open.map({ try OpenEvents(db, ids: $0) }) else { return }
        // Between two turns, rows may become a block, so that they are examined in one.
        if rows.count > 0 { try look(at: rows, within: ids, &matcher, turn) }
    }

    /// - Returns: whether the whole block was examined, and not only as much as there was time for.
    private mutating func look(
        at events: some EventColumns, ofBlock block: Int64, _ matcher: inout BlockMatcher, _ turn: ReadTurn
    ) throws -> Bool {
        let parts = try matcher.parts(of: ids, in: events)
        let last = begun.flatMap { $0.block == block ? $0.last : nil } ?? .min
        for (place, part) in parts.enumerated() where part.upperBound > last {
            try look(at: events, within: part, &matcher, turn)
            if place < parts.count - 1, turn.shouldEnd {
                begun = (block, part.upperBound)
                return false
            }
        }
        begun = nil
        return true
    }

    private mutating func look(
        at events: some EventColumns, within ids: ClosedRange<Int64>, _ matcher: inout BlockMatcher, _ turn: ReadTurn
    ) throws {
        let selection = try matcher.select(events, of: ids, until: turn)
        guard !selection.isEmpty else { return }
        let (ids, times) = (try events.ids(), try events.times())
        var wanted: [(place: EventPlace, event: Int)] = []
        for event in selection {
            let place = EventPlace(time: times[event], id: ids[event])
            if place < before, place > newest.least ?? .first { wanted.append((place, event)) }
        }
        if bytesLeft > 0 { try read(wanted, of: events, turn) }
        for (place, _) in wanted { newest.add(place) }
        newest.settle()
    }

    private mutating func read(
        _ wanted: [(place: EventPlace, event: Int)], of events: some EventColumns, _ turn: ReadTurn
    ) throws {
        let best = wanted.count > limit ? Array(wanted.sorted { $0.place > $1.place }.prefix(limit)) : wanted
        let positions = best.map(\.event).sorted()
        if let highlight {
            highlighted.formUnion(try BlockMatcher(highlight).ids(of: events, among: positions, until: turn))
        }
        try events.forEachEvent(of: positions) { event in
            guard event.contentBytes <= bytesLeft else { return }
            bytesLeft -= event.contentBytes
            read[event.id] = event.kept()
        }
    }
}

/// The greatest places, up to a maximum number.
private struct NewestPlaces: Sendable {
    private let limit: Int
    private var places: [EventPlace] = []
    /// The lower bound once the maximum is reached. Lower places are not in the result.
    private(set) var least: EventPlace?

    init(limit: Int) { self.limit = limit }

    mutating func add(_ place: EventPlace) {
        if let least, place < least { return }
        places.append(place)
        if places.count >= 2 * limit { shrink() }
    }

    /// Updates `least` when the maximum is reached, and again whenever a quarter more places have been added.
    mutating func settle() {
        if places.count >= (least == nil ? limit : limit + limit / 4) { shrink() }
    }

    /// A block that is rewritten between two steps, without its newest event or its first, may be examined again: a place that was
    /// added twice counts once.
    var sorted: [EventPlace] {
        var found: [EventPlace] = []
        for place in places.sorted(by: >) where place != found.last {
            guard found.count < limit else { break }
            found.append(place)
        }
        return found
    }

    mutating func removeAll(until time: Int64) { places.removeAll { $0.time <= time } }

    private mutating func shrink() {
        places = sorted
        if places.count == limit { least = places.last }
    }
}
