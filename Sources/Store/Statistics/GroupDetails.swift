internal import Model

/// What is found out about the groups that were chosen.
struct GroupDetails: Sendable {
    private let query: GroupQuery
    /// The parts of each group, one after the other.
    private var trends: [Int64]
    private var distinct: [DistinctCount]
    private var measures: [NumberSummary]
    /// The range that is divided.
    let trendTimes: ClosedRange<Int64>?
    /// The length of a part, in microseconds.
    private let part: UInt64

    /// - Parameter range: the times of the events.
    init(_ query: GroupQuery, groups: Int, range: ClosedRange<Int64>) {
        self.query = query
        trends = Array(repeating: 0, count: query.trend * groups)
        distinct = query.distinct == nil ? [] : Array(repeating: DistinctCount(), count: groups)
        measures = query.measure == nil ? [] : Array(repeating: NumberSummary(), count: groups)
        trendTimes = query.trend > 0 ? range : nil
        // The times of damaged entries may be as far apart as numbers can be.
        part = max(1, Self.distance(range.lowerBound, range.upperBound) / UInt64(max(1, query.trend)) &+ 1)
    }

    private static func distance(_ first: Int64, _ last: Int64) -> UInt64 { UInt64(bitPattern: last &- first) }

    /// An event in a group that was chosen, by its place.
    private typealias Pair = (event: Int, place: Int)

    /// Adds events of a block.
    mutating func add(_ columns: DetailColumns, _ selection: [Int], _ counts: inout GroupCounts) {
        // The combinations, and the place of each; -1 for a group that was not chosen.
        var (known, places) = (IntegerTable(), [Int]())
        var pairs: [Pair] = []
        for event in selection {
            columns.groups.forEachNumber(of: event) { number in
                let combination = known.number(of: number)
                if combination == places.count { places.append(place(of: number, columns.groups, counts)) }
                if places[combination] >= 0 { pairs.append((event, places[combination])) }
            }
            if pairs.count > BlockGroups.mostAtOnce {
                add(pairs, columns, &counts)
                pairs.removeAll(keepingCapacity: true)
            }
        }
        add(pairs, columns, &counts)
    }

    private mutating func add(_ pairs: [Pair], _ columns: DetailColumns, _ counts: inout GroupCounts) {
        let times = columns.times
        for pair in pairs { counts.count(at: times[pair.event], in: pair.place) }
        if let trendTimes {
            let (parts, part) = (query.trend, part)
            for pair in pairs where trendTimes.contains(times[pair.event]) {
                let distance = Self.distance(trendTimes.lowerBound, times[pair.event])
                trends[pair.place * parts + Int(min(distance / part, UInt64(parts - 1)))] += 1
            }
        }
        if let column = columns.distinct {
            let hashes = column.texts.hashes
            for pair in pairs { column.forEachText(of: pair.event) { distinct[pair.place].add(hashes[$0]) } }
        }
        if let (column, numbers) = columns.measure {
            for pair in pairs {
                column.forEachText(of: pair.event) { if let number = numbers[$0] { measures[pair.place].add(number) } }
            }
        }
    }

    private func place(of combination: Int, _ groups: BlockGroups, _ counts: GroupCounts) -> Int {
        var run: [UInt8] = []
        let hash = groups.write(combination, to: &run)
        return run.withUnsafeBytes { counts.place(of: $0, hash: hash) } ?? -1
    }

    func fill(_ row: inout GroupRow, of place: Int) {
        if query.trend > 0 { row.trend = Array(trends[place * query.trend..<(place + 1) * query.trend]) }
        if !distinct.isEmpty { row.distinct = distinct[place].count }
        if !measures.isEmpty { row.measure = measures[place] }
    }
}

/// What is read of a block for the details of groups. It is a class for the same reason as `KeyColumn`.
final class DetailColumns {
    fileprivate let groups: BlockGroups
    fileprivate let times: [Int64]
    /// The values that are counted once.
    fileprivate let distinct: KeyColumn?
    /// The texts of what is measured, and the numbers that they are.
    fileprivate let measure: (texts: KeyColumn, numbers: [NumberSummary.Number?])?

    /// - Parameter columns: those of the groups.
    init(
        _ query: GroupQuery, _ columns: [KeyColumn], of block: some EventColumns, _ selection: [Int], _ zone: Zone
    ) throws {
        groups = BlockGroups(columns, of: selection, hasNone: query.hasNone)
        times = try block.times().unpacked
        distinct = try query.distinct.map { try KeyColumn($0, of: block, among: selection, zone: zone) }
        measure = try query.measure.map { path in
            let texts = try KeyColumn(.parameter(path), of: block, among: selection, zone: zone)
            let numbers = texts.texts.ends.indices.map { texts.texts.withRun($0, NumberSummary.Number.init(text:)) }
            return (texts, numbers)
        }
    }
}

extension KeyColumn {
    /// Calls `body` with the number of each text that an event has.
    @inline(__always)
    fileprivate func forEachText(of event: Int, _ body: (Int) -> Void) {
        guard let lists else {
            if numbers[event] >= 0 { body(Int(numbers[event])) }
            return
        }
        for number in lists[Int(numbers[event])] where number >= 0 { body(Int(number)) }
    }
}

extension NumberSummary.Number {
    /// - Returns: `nil` unless the text is a number in decimal digits.
    fileprivate init?(text: UnsafeRawBufferPointer) {
        guard text.count <= 64, let number = Double(decimal: text), number.isFinite else { return nil }
        self.init(number)
    }
}
