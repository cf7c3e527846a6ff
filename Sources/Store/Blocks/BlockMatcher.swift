internal import Model

/// A compiled predicate. It decides which blocks may have matching events, and which events of a block match.
struct BlockMatcher {
    private indirect enum Node {
        /// The cheapest conditions come first.
        case all([Node])
        case any([Node])
        case not(Node)
        case number(Predicate.NumberKey, WantedNumbers)
        /// Conditions on the same table; all must hold.
        case texts(TextTable, [TextCondition])
        case value(ValueCondition)
        case identity(Predicate.Identity)
        case message(MessageCondition)
        case journal(JournalFieldCondition)
        /// The block may have events that were resolved with one of these versions.
        case versions([UInt64])
    }

    private let root: Node

    /// Whether a block takes longer than a reader has: there are conditions on journal entries, each of which takes up
    /// to a tenth of a millisecond.
    let isSlow: Bool

    /// How many events are examined between two looks at the clock, if the matcher is slow, and how many are marked at
    /// once.
    var stride: Int { isSlow ? 64 : 256 }

    /// - Throws: `.invalidPattern` for a regular expression that is none.
    init(_ predicate: Predicate) throws(StoreError) {
        root = try Self.node(predicate)
        isSlow = predicate.readsJournal
    }

    /// Returns the ranges of ids that are examined one after the other, ascending; the whole range if that takes not long.
    func parts(of range: ClosedRange<Int64>, in events: some EventColumns) throws -> [ClosedRange<Int64>] {
        guard isSlow, events.count > stride else { return [range] }
        let ids = try events.ids()
        let ends = Swift.stride(from: stride - 1, to: events.count - 1, by: stride).map { ids[$0] }
        var (parts, start) = ([ClosedRange<Int64>](), range.lowerBound)
        for end in ends where end >= start && end < range.upperBound {
            parts.append(start...end)
            start = end + 1
        }
        return parts + [start...range.upperBound]
    }

    /// Matches any event, in blocks that may have events resolved with one of these versions.
    init(mayHaveAny versions: [DictionaryVersionID]) {
        self.init(root: .versions(versions.map { BlockFilters.hash(.version, $0.description) }))
    }

    /// Matches all events in a range of time. The times of damaged entries may be negative.
    init(times: ClosedRange<Int64>) { self.init(root: .number(.time, WantedNumbers(times))) }

    /// Matches all events.
    static var everything: BlockMatcher { BlockMatcher(root: .all([])) }

    private init(root: Node) { (self.root, isSlow) = (root, false) }

    private static func node(_ predicate: Predicate) throws(StoreError) -> Node {
        switch predicate {
        case .all(let parts): all(try parts.map { part throws(StoreError) in try node(part) })
        case .any(let parts): any(try parts.map { part throws(StoreError) in try node(part) })
        case .not(let part): .not(try node(part))
        case .number(let key, let range): .number(key, WantedNumbers(range))
        case .text(let key, let test): .texts(key.table, [try TextCondition(key, test)])
        case .identity(let identity): .identity(identity)
        case .message(let test): .message(MessageCondition(matcher: try TextMatcher(test)))
        case .parameter(let path, let test): .value(try ValueCondition(path, test))
        case .journal(let field, let test):
            .journal(JournalFieldCondition(field: field.text, matcher: try TextMatcher(test)))
        }
    }

    /// Numbers of one key are looked up together.
    private static func any(_ parts: [Node]) -> Node {
        var (nodes, numbers) = ([Node](), [Predicate.NumberKey: [WantedNumbers]]())
        for part in parts {
            if case .number(let key, let ranges) = part {
                numbers[key, default: []].append(ranges)
            } else {
                nodes.append(part)
            }
        }
        let combined = Predicate.NumberKey.allCases.compactMap { key in
            numbers[key].map { Node.number(key, WantedNumbers($0)) }
        }
        return nodes.isEmpty && combined.count == 1 ? combined[0] : .any(combined + nodes)
    }

    private static func all(_ parts: [Node]) -> Node {
        var (nodes, texts) = ([Node](), [TextTable: [TextCondition]]())
        for part in parts {
            if case .texts(let table, let conditions) = part {
                texts[table, default: []] += conditions
            } else {
                nodes.append(part)
            }
        }
        nodes += TextTable.allCases.compactMap { table in texts[table].map { .texts(table, $0) } }
        let ranks = nodes.map(rank)
        return .all(nodes.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }.map { nodes[$0] })
    }

    /// How expensive a condition is.
    private static func rank(_ node: Node) -> Int {
        switch node {
        case .all(let parts), .any(let parts): parts.map(rank).max() ?? 0
        case .not(let part): rank(part)
        case .versions: 0
        case .number: 1
        case .texts(let table, _): table == .findings ? 3 : 2
        case .value, .identity: 4
        case .message: 5
        case .journal: 6
        }
    }

    // MARK: blocks

    /// How many of a block's events may match.
    private enum Share { case none, some, all }

    /// What is known of a block without its data.
    private struct Facts {
        /// `nil` where it is not known yet.
        var ids: ClosedRange<Int64>?
        var times: ClosedRange<Int64>?
        var levels: UInt8 = 0
        var names: UnsafeRawBufferPointer?
        var values: UnsafeRawBufferPointer?
    }

    /// Returns whether a block may have matching events, as far as this is known without its data.
    /// - Parameter levels: a bit for each level that its events have.
    func mayMatch(
        ids: ClosedRange<Int64>, times: ClosedRange<Int64>, levels: UInt8, names: UnsafeRawBufferPointer
    ) -> Bool {
        Self.share(root, Facts(ids: ids, times: times, levels: levels, names: names)) != .none
    }

    /// Whether the query has conditions that a block's filter of values can rule out.
    var asksForValues: Bool { Self.asksForValues(root) }

    func mayHaveValues(_ filter: UnsafeRawBufferPointer) -> Bool { Self.share(root, Facts(values: filter)) != .none }

    private static func asksForValues(_ node: Node) -> Bool {
        switch node {
        case .all(let parts): parts.contains(where: asksForValues)
        case .any(let parts): parts.allSatisfy(asksForValues)
        case .value(let condition): !condition.hashes.isEmpty
        // That a block may have a value does not say that it has no others.
        case .not, .number, .texts, .identity, .message, .journal, .versions: false
        }
    }

    private static func share(_ node: Node, _ facts: Facts) -> Share {
        switch node {
        case .all(let parts):
            var result = Share.all
            for part in parts {
                switch share(part, facts) {
                case .none: return .none
                case .some: result = .some
                case .all: break
                }
            }
            return result
        case .any(let parts):
            var result = Share.none
            for part in parts {
                switch share(part, facts) {
                case .none: break
                case .some: result = .some
                case .all: return .all
                }
            }
            return result
        case .not(let part):
            switch share(part, facts) {
            case .none: return .all
            case .some: return .some
            case .all: return .none
            }
        case .number(let key, let ranges): return share(key, ranges, facts)
        case .texts(_, let conditions):
            return conditions.allSatisfy { mayHave($0.hashes, facts.names) } ? .some : .none
        case .value(let condition): return mayHave(condition.hashes, facts.values) ? .some : .none
        case .versions(let hashes): return mayHave(hashes, facts.names) ? .some : .none
        case .identity, .message, .journal: return .some
        }
    }

    private static func share(_ key: Predicate.NumberKey, _ wanted: WantedNumbers, _ facts: Facts) -> Share {
        guard let ids = facts.ids, let times = facts.times else { return .some }
        switch key {
        case .id: return share(ids, wanted)
        case .time: return share(times, wanted)
        case .level:
            let levels = (0..<8).reduce(UInt8(0)) { wanted.contains(Int64($1)) ? $0 | 1 << UInt8($1) : $0 }
            if facts.levels & levels == 0 { return .none }
            return facts.levels & ~levels == 0 ? .all : .some
        case .programTime, .journalLevel, .programLevel, .pid: return .some
        }
    }

    private static func share(_ range: ClosedRange<Int64>, _ wanted: WantedNumbers) -> Share {
        if wanted.contains(all: range) { return .all }
        return wanted.overlaps(range) ? .some : .none
    }

    /// - Parameter hashes: of which the filter must have one; empty if it cannot exclude a block.
    private static func mayHave(_ hashes: [UInt64], _ filter: UnsafeRawBufferPointer?) -> Bool {
        guard let filter, !hashes.isEmpty else { return true }
        return hashes.contains { ValueFilter.mayContain($0, filter) }
    }

    // MARK: events

    /// Returns the positions of the events that match, ascending.
    /// - Parameters:
    ///   - ids: the range of ids to select from.
    ///   - turn: the turn of the reader. Once it is cancelled, payloads that have not been searched for a pattern are
    ///     skipped.
    /// - Throws: `BlockDamage`, and the errors of reading.
    func select(
        _ events: some EventColumns, of ids: ClosedRange<Int64> = .min ... .max, until turn: ReadTurn? = nil
    ) throws -> [Int] {
        var selection = [Int](unsafeUninitializedCapacity: events.count) { places, filled in
            for place in 0..<events.count { places[place] = place }
            filled = events.count
        }
        let column = try events.ids()
        if events.count > 0, !ids.contains(column[0]) || !ids.contains(column[events.count - 1]) {
            selection.removeAll { !ids.contains(column[$0]) }
        }
        try Self.select(root, events, &selection, turn)
        return selection
    }

    /// Removes the events that do not match from a selection of positions, ascending.
    func narrow(_ selection: inout [Int], of events: some EventColumns, until turn: ReadTurn?) throws {
        try Self.select(root, events, &selection, turn)
    }

    /// Returns the ids of the events that match.
    /// - Parameter selection: the positions of the events to examine, ascending.
    func ids(
        of events: some EventColumns, among selection: [Int], until turn: ReadTurn? = nil
    ) throws -> Set<Int64> {
        guard !selection.isEmpty else { return [] }
        var selection = selection
        try narrow(&selection, of: events, until: turn)
        let column = try events.ids()
        return Set(selection.map { column[$0] })
    }

    private static func select(
        _ node: Node, _ events: some EventColumns, _ selection: inout [Int], _ turn: ReadTurn?
    ) throws {
        guard !selection.isEmpty else { return }
        // The result of a search that nobody waits for is not used.
        guard turn?.isCancelled != true else { return selection.removeAll() }
        switch node {
        case .all(let parts): for part in parts { try select(part, events, &selection, turn) }
        case .any(let parts):
            var (found, rest) = (EventMarks(of: events.count), selection)
            for part in parts where !rest.isEmpty {
                var having = rest
                try select(part, events, &having, turn)
                for event in having { found.mark(event) }
                rest.keep { !found[$0] }
            }
            found.select(&selection)
        case .not(let part):
            var (found, having) = (EventMarks(of: events.count), selection)
            try select(part, events, &having, turn)
            for event in having { found.mark(event) }
            selection.keep { !found[$0] }
        case .number(let key, let ranges): try select(key, ranges, events, &selection)
        case .texts(let table, let conditions): try table.select(conditions, events, &selection, until: turn)
        case .value(let condition): try events.select(condition, &selection, until: turn)
        case .identity(.uids(let uids)):
            let found = zip(selection, try events.uids(of: selection))
            selection = found.compactMap { event, uid in uids.contains(uid) ? event : nil }
        case .identity(.cursor(let cursor)):
            let found = zip(selection, try events.places(of: selection))
            selection = found.compactMap { event, place in place.cursor.isSameEntry(as: cursor) ? event : nil }
        case .message(let condition): try condition.select(events, &selection, until: turn)
        case .journal(let condition): try condition.select(events, &selection, until: turn)
        case .versions: break
        }
    }

    private static func select(
        _ key: Predicate.NumberKey, _ wanted: WantedNumbers, _ events: some EventColumns, _ selection: inout [Int]
    ) throws {
        switch key {
        case .id: try events.ids().select(&selection) { wanted.contains($0) }
        case .time:
            if let times = events.timeRange, wanted.contains(all: times) { return }
            try events.times().select(&selection) { wanted.contains($0) }
        case .programTime:
            guard let column = try events.programTimes() else { return selection.removeAll() }
            column.select(&selection) { $0 >= 0 && wanted.contains($0) }
        case .level: try events.effectiveLevels().select(&selection) { wanted.contains($0) }
        case .journalLevel: try events.levels().select(&selection) { wanted.contains($0) }
        case .programLevel:
            guard let column = try events.programLevels() else { return selection.removeAll() }
            column.select(&selection) { $0 >= 0 && wanted.contains($0) }
        case .pid: try events.pids().select(&selection) { $0 >= 0 && wanted.contains($0) }
        }
    }
}
