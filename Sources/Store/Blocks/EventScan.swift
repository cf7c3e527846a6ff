internal import GRDB
internal import Model

/// Reads one page of the events that a query matches, within one snapshot of the database: the blocks that may have
/// matching events, in the order of the query, and only the columns that are needed.
struct EventScan<Output: EventOutput> {
    private let db: Database
    private let frames = BlockFrames()
    private let cache: ColumnCache.Reader?
    private let query: StoredEventQuery
    private let turn: ReadTurn?
    private let began = ContinuousClock.now
    private var matcher: BlockMatcher
    /// Finds the events that are marked.
    private let highlighter: BlockMatcher?
    /// The ids of those of the current block.
    private var highlighted: Set<Int64> = []

    private(set) var output: Output
    private(set) var found = 0
    /// How many blocks were read, and the ids of the last.
    private var (blocks, blockIDs) = (0, ClosedRange<Int64>?.none)
    private(set) var lastFound: Int64?
    /// Where the blocks, or the open events, that were examined as a whole end, in the order of the query.
    private var passed: Int64?
    /// The size of the next event's payload, if there was no room for it and the page is empty.
    private var needed: Int?
    /// The id of the last event that was examined, in the order of the query; `nil` when all were examined.
    private var reached: Int64?

    /// - Throws: `.invalidPattern` when the query's `grep` is not a regular expression.
    /// - Parameters:
    ///   - output: receives the events, unless only ids are requested.
    ///   - cache: of blocks. Nothing may have been read in the transaction before, see `ColumnCache.current`. `nil` disables caching.
    ///   - turn: ends the page when it has expired; `nil` when only the query does.
    init(
        _ db: Database, query: StoredEventQuery, into output: consuming Output, cache: ColumnCache? = nil,
        turn: ReadTurn? = nil
    ) throws(StoreError) {
        self.db = db
        self.cache = cache?.current
        self.query = query
        self.turn = turn
        matcher = try BlockMatcher(query.predicate)
        highlighter = try query.highlight.map { predicate throws(StoreError) in try BlockMatcher(predicate) }
        self.output = output
    }

    private var isAscending: Bool { query.order == .oldest }

    private var usedTime: Double { query.time.map { (.now - began) / $0 } ?? 0 }

    private var isTurnOver: Bool { turn?.shouldEnd ?? false }

    /// Reads events until there is no room for more.
    mutating func run() throws -> PageEnd {
        guard let stored = try StoredRange.ids(db) else { return PageEnd() }
        guard !query.isEmpty, let ids = query.ids(of: stored) else { return PageEnd(newestEventID: stored.upperBound) }
        let (low, high) = (ids.lowerBound, ids.upperBound)
        let last = isAscending ? high : low
        let stop = max(low, min(query.through ?? last, high))
        try scan(isAscending ? low...stop : stop...high)
        let reached = reached ?? stop
        var end = PageEnd(
            next: reached == last ? nil : reached, newestEventID: stored.upperBound, needed: needed,
            examinedIDs: 1 + (isAscending ? reached - low : high - reached), blocks: blocks,
            usedTime: min(usedTime, 1))
        (end.blockIDs, end.storedIDs) = (blockIDs, ids)
        return end
    }

    private mutating func scan(_ ids: ClosedRange<Int64>) throws {
        let (packed, open) = try StoredRange.parts(of: ids, db)
        do {
            if isAscending {
                if let packed, try !scanBlocks(packed) { return }
                if let open { _ = try scanOpen(open) }
            } else {
                if let open, try !scanOpen(open) { return }
                if let packed { _ = try scanBlocks(packed) }
            }
        } catch let error as DatabaseError where error.isDamage {
            // The page before the damage, which some of the block's events may be before, is complete. A caller that
            // continues gets the error.
            let read = [passed, lastFound].compactMap { $0 }
            guard let last = isAscending ? read.max() : read.min() else { throw error }
            _ = stop(at: last)
        }
    }

    /// - Returns: whether the scan may continue.
    private mutating func scanOpen(_ ids: ClosedRange<Int64>) throws -> Bool {
        // More than the page has room for would be read again for each of the next pages.
        let limit = isAscending && query.predicate == .everything ? query.limit - found : .max
        guard try takeParts(of: OpenEvents(db, ids: ids, limit: limit), within: ids) else { return false }
        passed = end(of: ids)
        return true
    }

    /// - Returns: whether the scan may continue.
    private mutating func scanBlocks(_ ids: ClosedRange<Int64>) throws -> Bool {
        var walk = try BlockWalk(db, ids: ids, isAscending: isAscending, matcher)
        while let step = try walk.next(until: turn) {
            switch step {
            case .expired(let examined): return stop(at: end(of: examined.clamped(to: ids)))
            case .block(let block):
                let part = block.ids.clamped(to: ids)
                guard try scan(block, part) else { return false }
                passed = end(of: part)
                guard !isTurnOver, usedTime < 1 else { return stop(at: end(of: part)) }
            }
        }
        passed = end(of: ids)
        return true
    }

    private mutating func scan(_ block: StoredBlock, _ part: ClosedRange<Int64>) throws -> Bool {
        if block.isOneLargePayload, !query.onlyIDs, !output.hasRoom(forPayload: block.payloadBytes) {
            // There is no room for the event. Stop without checking whether it matches.
            return stop(before: part, needing: block.payloadBytes)
        }
        (blocks, blockIDs) = (blocks + 1, block.ids.clamped(to: 1 ... .max))
        // The next page begins in this block, if the page ends in it.
        let isWhole = end(of: part) == end(of: block.ids)
        return try block.read(db, frames, cache, keepingIf: { goesOn in !goesOn || !isWhole }) {
            try takeParts(of: $0, within: part)
        }
    }

    /// Reads a block in one go, or if the conditions take long, in parts as long as there is time.
    /// - Returns: whether the scan may continue.
    private mutating func takeParts(of block: some EventColumns, within range: ClosedRange<Int64>) throws -> Bool {
        let parts = try matcher.parts(of: range, in: block)
        for part in isAscending ? parts : parts.reversed() {
            guard try take(block, within: part) else { return false }
            if isTurnOver, part != parts[isAscending ? parts.count - 1 : 0] { return stop(at: end(of: part)) }
        }
        return true
    }

    /// Returns the last of these ids in the order of the query.
    private func end(of ids: ClosedRange<Int64>) -> Int64 { isAscending ? ids.upperBound : ids.lowerBound }

    /// - Parameter range: the range of ids to read.
    /// - Returns: whether the scan may continue.
    private mutating func take(_ block: some EventColumns, within range: ClosedRange<Int64>) throws -> Bool {
        guard block.count > 0 else { return true }
        let ids = try block.ids()
        var selection = try matcher.select(block, of: range, until: turn)
        if !isAscending { selection.reverse() }
        let room = query.limit - found
        let isCut = selection.count >= room
        if isCut { selection.removeSubrange(room...) }
        if query.onlyIDs {
            note(selection.count, last: selection.last.map { ids[$0] })
        } else {
            guard try read(block, selection) else { return false }
        }
        return isCut ? stop(at: lastFound ?? 0) : true
    }

    /// Reads events as long as there is room for them and, if marking them is slow, as long as there is time.
    /// - Parameter selection: in the order of the query.
    /// - Returns: whether all were read.
    private mutating func read(_ block: some EventColumns, _ selection: [Int]) throws -> Bool {
        var (rest, hasRoom) = (selection[...], true)
        while hasRoom, !rest.isEmpty {
            let part = Array(rest.prefix(highlighter?.stride ?? .max))
            if let highlighter {
                let ascending = isAscending ? part : part.reversed()
                highlighted = try highlighter.ids(of: block, among: ascending, until: turn)
            }
            try block.read(part) { event in
                hasRoom = emit(event)
                return hasRoom
            }
            rest = rest.dropFirst(part.count)
            if hasRoom, !rest.isEmpty, highlighter?.isSlow ?? false, isTurnOver, let lastFound {
                return stop(at: lastFound)
            }
        }
        return hasRoom
    }

    /// - Returns: whether there was room for the event.
    private mutating func emit(_ event: borrowing Event) -> Bool {
        let bytes = event.contentBytes
        guard output.hasRoom(forPayload: bytes) else { return stop(before: event.id...event.id, needing: bytes) }
        output.take(event, isHighlighted: highlighted.contains(event.id))
        note(1, last: event.id)
        return true
    }

    private mutating func note(_ count: Int, last: Int64?) {
        found += count
        lastFound = last ?? lastFound
    }

    /// - Parameter bytes: the size of the next event's payload, for which there was no room.
    private mutating func stop(before ids: ClosedRange<Int64>, needing bytes: Int) -> Bool {
        if found == 0 { needed = bytes }
        return stop(at: isAscending ? ids.lowerBound - 1 : ids.upperBound + 1)
    }

    private mutating func stop(at id: Int64) -> Bool {
        reached = id
        return false
    }
}

extension EventScan<KeptEvents> {
    init(_ db: Database, query: StoredEventQuery, cache: ColumnCache? = nil, turn: ReadTurn? = nil) throws(StoreError) {
        try self.init(db, query: query, into: KeptEvents(bytes: query.bytes), cache: cache, turn: turn)
    }

    mutating func page() throws -> EventPage {
        let end = try run()
        return EventPage(events: output.events, end)
    }
}
