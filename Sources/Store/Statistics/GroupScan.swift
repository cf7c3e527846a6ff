internal import GRDB
internal import Model

/// Reads the columns of stored events and groups them, a bounded part in each snapshot of the database.
struct GroupScan: Sendable {
    let query: GroupQuery
    private let zone: Zone
    private var counts: GroupCounts
    /// What is found out about the groups that were chosen; `nil` while all are counted.
    private var details: GroupDetails?
    private var events: Int64 = 0
    private var times: ClosedRange<Int64>?
    private var after: Int64 = 0
    /// The end of the scan, so that events that arrive later do not make it endless.
    private var before: Int64?

    init(_ query: GroupQuery, zone: Zone) {
        (self.query, self.zone) = (query, zone)
        counts = GroupCounts(keys: query.keys.count)
    }

    /// - Returns: whether there is more to read.
    mutating func step(_ db: Database, _ turn: ReadTurn) throws -> Bool {
        guard let stored = try StoredRange.ids(db) else { return false }
        let last = min(before.map { $0 - 1 } ?? .max, stored.upperBound)
        before = last + 1
        guard after < last else { return false }
        let matcher = try BlockMatcher(query.predicate)
        let wanted = after + 1...last
        let reached = try ColumnWalk.forEach(of: wanted, matcher, db, turn) { block in
            try add(block, matcher.select(block, of: wanted, until: turn))
            return true
        }
        after = reached ?? last
        return reached != nil
    }

    private mutating func add(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        let columns = try query.keys.map { try KeyColumn($0, of: block, among: selection, zone: zone) }
        if details != nil {
            try details?.add(block, selection, columns, &counts, zone)
        } else {
            try count(selection, in: BlockGroups(columns), at: block.times().unpacked)
            counts.keepWithinLimits()
        }
    }

    /// Counts the events of a block by the numbers of their texts in the block.
    private mutating func count(_ selection: [Int], in groups: BlockGroups, at times: [Int64]) {
        var (sums, places) = ([(number: Int, sum: GroupCounts.Sum)](), GroupPlaces(count: groups.count))
        events += Int64(selection.count)
        for event in selection {
            let time = times[event]
            groups.forEachNumber(of: event) { number in
                let place = places.place(of: number, orNew: sums.count)
                if place < sums.count {
                    sums[place].sum.add(at: time)
                } else {
                    sums.append((number, GroupCounts.Sum(count: 1, times: time...time)))
                }
            }
        }
        for (number, sum) in sums {
            self.times =
                self.times.map {
                    min($0.lowerBound, sum.times.lowerBound)...max($0.upperBound, sum.times.upperBound)
                } ?? sum.times
            counts.add(sum, to: groups.identity(of: number) { counts.number(of: $0, key: $1) })
        }
    }

    // MARK: results

    /// Whether there is more to find out about the largest groups, by another scan.
    var needsDetails: Bool {
        details == nil && !counts.sums.isEmpty
            && (query.trend > 0 || query.measure != nil || query.distinct != nil || counts.uncertainty > 0)
    }

    /// Begins to read the events again, for what is asked about the largest groups only.
    mutating func beginDetails() {
        let chosen = counts.largest(query.limit).map { counts.sums[$0].identity }
        let bounds = query.predicate.bounds?.times ?? 0 ... .max
        let times = times ?? 0...0
        let range =
            max(
                times.lowerBound, Int64(clamping: bounds.lowerBound))...max(
                times.upperBound, min(Int64(clamping: bounds.upperBound), times.upperBound))
        details = GroupDetails(query, groups: chosen.count, range: range)
        let (uncertainty, groups) = (counts.uncertainty, counts.groups)
        before = before.map { max($0, 1) }
        counted = (groups, uncertainty)
        counts = counts.only(chosen)
        after = 0
    }

    /// What counting all groups resulted in.
    private var counted: (groups: Int, uncertainty: Int64)?

    var result: GroupSums {
        var sums = GroupSums(
            events: events, groups: counted?.groups ?? counts.groups,
            uncertainty: counted?.uncertainty ?? counts.uncertainty, times: times, trendTimes: details?.trendTimes)
        let isOverTime = query.keys.contains { if case .time = $0 { true } else { false } }
        sums.rows = counts.largest(query.limit).filter { counts.sums[$0].sum.count > 0 }.map { place in
            let (identity, sum) = counts.sums[place]
            var row = GroupRow(
                values: query.keys.indices.map { counts.text(identity, key: $0) }, count: sum.count, times: sum.times)
            details?.fill(&row, of: place)
            return row
        }
        if isOverTime { sums.rows.sort(by: query.isEarlier) }
        return sums
    }
}

extension GroupQuery {
    /// Orders rows by their parts of time, and within these as they are.
    fileprivate func isEarlier(_ one: GroupRow, _ other: GroupRow) -> Bool {
        for (place, key) in keys.enumerated() {
            guard case .time = key else { continue }
            let (first, second) = (Int64(one.values[place] ?? "") ?? 0, Int64(other.values[place] ?? "") ?? 0)
            if first != second { return first < second }
        }
        return one.count > other.count
    }
}

extension GroupCounts {
    /// Returns the places of the groups with most events, in a fixed order.
    func largest(_ limit: Int) -> [Int] {
        let keys = texts.indices
        func isBefore(_ one: Int, _ other: Int) -> Bool {
            let (first, second) = (sums[one], sums[other])
            if first.sum.count != second.sum.count { return first.sum.count > second.sum.count }
            for key in keys {
                let (a, b) = (text(first.identity, key: key), text(second.identity, key: key))
                if a != b { return ExactString(a ?? "") < ExactString(b ?? "") }
            }
            return one < other
        }
        guard limit < sums.count else { return sums.indices.sorted(by: isBefore) }
        // Only those that may be among them are compared by their texts.
        let counts = sums.map(\.sum.count).sorted(by: >)
        guard limit > 0 else { return [] }
        let least = counts[limit - 1]
        return Array(sums.indices.filter { sums[$0].sum.count >= least }.sorted(by: isBefore).prefix(limit))
    }
}

/// The groups of one block, as combinations of the texts of its columns.
struct BlockGroups {
    let columns: [KeyColumn]
    /// The number of possible combinations.
    let count: Int
    private let isSimple: Bool

    init(_ columns: [KeyColumn]) {
        self.columns = columns
        var count = 1
        for column in columns {
            let (product, isTooLarge) = count.multipliedReportingOverflow(by: column.texts.count + 1)
            // A block has 4,096 events; four keys have less than 2^50 combinations, but for lists.
            count = isTooLarge ? .max : product
        }
        self.count = count
        isSimple = columns.allSatisfy { $0.lists == nil }
    }

    /// Calls `body` with the number of each combination that an event has.
    @inline(__always)
    func forEachNumber(of event: Int, _ body: (Int) -> Void) {
        if isSimple {
            var number = 0
            for column in columns { number = number &* (column.texts.count + 1) &+ Int(column.numbers[event]) + 1 }
            return body(number)
        }
        forEachNumber(of: event, from: 0, number: 0, body)
    }

    private func forEachNumber(of event: Int, from key: Int, number: Int, _ body: (Int) -> Void) {
        guard key < columns.count else { return body(number) }
        let column = columns[key]
        func goOn(_ text: Int32) {
            forEachNumber(
                of: event, from: key + 1, number: number &* (column.texts.count + 1) &+ Int(text) + 1, body)
        }
        guard let lists = column.lists else { return goOn(column.numbers[event]) }
        let list = lists[Int(column.numbers[event])]
        if list.isEmpty { goOn(-1) }
        for text in list { goOn(text) }
    }

    /// Returns the group of a combination.
    /// - Parameter number: returns the number of a text of a key, plus 1.
    func identity(
        of combination: Int, _ number: (UnsafeRawBufferPointer, Int) -> Int32
    ) -> GroupCounts.Identity {
        var (identity, rest) = (GroupCounts.Identity.zero, combination)
        for key in columns.indices.reversed() {
            let texts = columns[key].texts
            let (next, text) = rest.quotientAndRemainder(dividingBy: texts.count + 1)
            rest = next
            if text > 0 { identity[key] = texts[text - 1].withUnsafeBytes { number($0, key) } }
        }
        return identity
    }
}
