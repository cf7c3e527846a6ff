internal import Model
internal import Synchronization

/// Groups stored events by their columns. Several threads may add blocks: most of the work is done before they wait for each
/// other.
final class GroupScan: Sendable {
    private let query: GroupQuery
    private let zone: Zone
    private let state = Mutex(State())

    fileprivate struct State {
        var counts = GroupCounts()
        /// What is found out about the groups that were chosen; `nil` while all are counted.
        var details: GroupDetails?
        var events = GroupCounts.Sum()
        /// What counting all groups resulted in.
        var counted: (groups: Int, uncertainty: Int64)?
    }

    init(_ query: GroupQuery, zone: Zone) {
        (self.query, self.zone) = (query, zone)
    }

    private typealias NumberedSum = (number: Int, sum: GroupCounts.Sum)

    /// Counts events of a block, by the numbers of their texts in the block.
    func count(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        let groups = BlockGroups(try columns(of: block, selection), of: selection, hasNone: query.hasNone)
        let times = try block.times().unpacked
        var (sums, places, all) = ([NumberedSum](), GroupPlaces(count: groups.count), GroupCounts.Sum())
        for event in selection {
            let time = times[event]
            var isCounted = false
            groups.forEachNumber(of: event) { number in
                isCounted = true
                let place = places.place(of: number, orNew: sums.count)
                if place == sums.count { sums.append((number, GroupCounts.Sum())) }
                sums[place].sum.add(at: time)
            }
            if isCounted { all.add(at: time) }
            if sums.count > BlockGroups.mostAtOnce {
                add(sums, groups)
                (sums, places) = ([], GroupPlaces(count: groups.count))
            }
        }
        add(sums, groups, of: all)
    }

    /// The texts are written before the lock is taken.
    /// - Parameter events: those of the whole block that are in groups.
    private func add(_ sums: [NumberedSum], _ groups: BlockGroups, of events: GroupCounts.Sum = .init()) {
        guard !sums.isEmpty || events.count > 0 else { return }
        var list = GroupList(capacity: sums.count, bytesEach: groups.bytesEach)
        for (number, sum) in sums { list.append(sum) { groups.write(number, to: &$0) } }
        state.withLock { state in
            state.counts.add(list)
            state.events.add(events)
        }
    }

    private func columns(of block: some EventColumns, _ selection: [Int]) throws -> [KeyColumn] {
        try query.keys.map { try KeyColumn($0, of: block, among: selection, zone: zone) }
    }

    // MARK: details

    /// Chooses the largest groups, if there is more to find out about them, and forgets the others.
    /// - Returns: which events have to be read again for it; `nil` if there is no more.
    func beginDetails() -> Predicate? {
        state.withLock { state -> Predicate? in
            guard !state.counts.sums.isEmpty, query.limit > 0,
                query.trend > 0 || query.measure != nil || query.distinct != nil || state.counts.uncertainty > 0
            else { return nil }
            state.choose(query)
            // Of many groups, those that were chosen may be in a few blocks.
            let isCertain = state.counted?.uncertainty == 0
            return isCertain ? query.predicate : query.predicate.and(.all(state.counts.mayBe(query.keys)))
        }
    }

    /// Adds events of a block to the groups that were chosen.
    func detail(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        let columns = try DetailColumns(query, columns(of: block, selection), of: block, selection, zone)
        state.withLock { $0.details?.add(columns, selection, &$0.counts) }
    }

    // MARK: results

    /// Returns the groups, once all blocks were added.
    func result() -> GroupSums { state.withLock { $0.result(query) } }
}

extension GroupScan.State {
    fileprivate mutating func choose(_ query: GroupQuery) {
        let chosen = counts.chosen(query)
        details = GroupDetails(query, groups: chosen.count, range: events.times ?? 0...0)
        counted = (counts.groups, counts.leftOut(beside: chosen))
        counts.keep(chosen)
    }

    fileprivate func result(_ query: GroupQuery) -> GroupSums {
        var sums = GroupSums(
            events: events.count, groups: counted?.groups ?? counts.groups,
            uncertainty: counted?.uncertainty ?? 0, times: events.times, trendTimes: details?.trendTimes)
        let isOverTime = query.keys.contains { if case .time = $0 { true } else { false } }
        sums.rows = counts.chosen(query).compactMap { place in
            let sum = counts.sums[place]
            guard let times = sum.times else { return nil }
            var row = GroupRow(
                values: query.keys.indices.map { counts.text(place, key: $0) }, count: sum.count, times: times)
            details?.fill(&row, of: place)
            return row
        }
        if isOverTime { sums.rows.sort(by: query.isEarlier) }
        return sums
    }
}

extension GroupCounts {
    /// Returns conditions that all events of the groups meet, and maybe others.
    fileprivate func mayBe(_ keys: [GroupKey]) -> [Predicate] {
        keys.enumerated().compactMap { number, key in
            switch key {
            case .text(let key) where key.table != .findings: texts(key: number).map { .text(key, .among($0)) }
            case .parameter(let path) where path.inner.isEmpty:
                texts(key: number).map { .parameter(path, .among($0)) }
            default: nil
            }
        }
    }
}

extension GroupQuery {
    /// Orders rows by their parts of time, and within these by their counts; those with the same stay as they are.
    fileprivate func isEarlier(_ one: GroupRow, _ other: GroupRow) -> Bool {
        for (place, key) in keys.enumerated() {
            guard case .time = key else { continue }
            let (first, second) = (Int64(one.values[place] ?? "") ?? 0, Int64(other.values[place] ?? "") ?? 0)
            if first != second { return first < second }
        }
        return one.count > other.count
    }
}

/// The groups of one block, as combinations of the texts of its columns. It is a class for the same reason as `KeyColumn`.
final class BlockGroups {
    /// How many groups are gathered before they are added to those of other blocks: events with many findings are in many.
    static let mostAtOnce = 1 << 14

    let columns: [KeyColumn]
    /// The number of possible combinations.
    let count: Int
    /// What the number of a text counts in the number of a combination.
    private let weights: [Int]
    /// For each event what its texts count together, of the columns that have one for each; negative for events that are in no
    /// group. Empty if there are no such columns.
    private let simple: [Int]
    /// The other columns, by what belongs together. There is hardly ever more than one.
    private let lists: [Lists]

    private struct Lists {
        /// For each event the number of its list.
        var numbers: [Int32]
        /// For each list what its combinations of texts count, each once.
        var sums: [[Int]]

        @inline(__always)
        func sums(of event: Int) -> [Int] { sums[Int(numbers[event])] }
    }

    /// - Parameters:
    ///   - columns: those with findings are of one kind of findings.
    ///   - selection: the events that are asked for.
    ///   - hasNone: whether events that lack a text are in groups.
    init(_ columns: [KeyColumn], of selection: [Int], hasNone: Bool = true) {
        self.columns = columns
        var (weights, count) = ([Int](repeating: 0, count: columns.count), 1)
        for key in columns.indices.reversed() {
            weights[key] = count
            count *= columns[key].texts.count + 1
        }
        (self.weights, self.count) = (weights, count)
        // By columns: to go through them for each event takes five times as long.
        simple = columns.indices.filter { columns[$0].lists == nil }.reduce(into: []) { sums, key in
            let (numbers, weight) = (columns[key].numbers, weights[key])
            if sums.isEmpty { sums = [Int](repeating: 0, count: numbers.count) }
            for event in selection {
                let number = Int(numbers[event]) + 1
                sums[event] = sums[event] < 0 || !hasNone && number == 0 ? -1 : sums[event] + number * weight
            }
        }
        let listed = columns.indices.filter { columns[$0].lists != nil }
        // What findings have at the same place of their lists belongs together.
        let findings = listed.filter { columns[$0].isOfFindings }
        let groups = (findings.isEmpty ? [] : [findings]) + listed.filter { !columns[$0].isOfFindings }.map { [$0] }
        lists = groups.map { keys in
            // An event counts once for a combination, however often it has it.
            let sums = (columns[keys[0]].lists ?? []).enumerated().map { number, list in
                var sums: Set<Int> = []
                for place in 0..<max(list.count, 1) {
                    let texts = keys.map { columns[$0].number(at: place, inList: number) + 1 }
                    if hasNone || !texts.contains(0) {
                        sums.insert(zip(texts, keys).reduce(0) { $0 + $1.0 * weights[$1.1] })
                    }
                }
                return Array(sums)
            }
            return Lists(numbers: columns[keys[0]].numbers, sums: sums)
        }
    }

    /// Calls `body` with the number of each combination that an event has.
    @inline(__always)
    func forEachNumber(of event: Int, _ body: (Int) -> Void) {
        // If `body` were passed on, it could not be inlined, and the loop over events would take ten times as long.
        let number = simple.isEmpty ? 0 : simple[event]
        guard number >= 0 else { return }
        if lists.isEmpty { return body(number) }
        for sum in lists.count == 1 ? lists[0].sums(of: event) : combinedSums(of: event) { body(number + sum) }
    }

    /// What the combinations of an event's lists count.
    private func combinedSums(of event: Int) -> [Int] {
        lists.reduce([0]) { sums, list in sums.flatMap { sum in list.sums(of: event).map { sum + $0 } } }
    }

    /// Returns the texts of a combination.
    func texts(of combination: Int) -> [ExactString?] {
        var texts: [ExactString?] = []
        forEachText(of: combination) { column, text in
            texts.append(text.map { ExactString(String(decoding: column.texts[$0], as: UTF8.self)) })
        }
        return texts
    }

    /// About how many bytes the texts of a combination have.
    var bytesEach: Int {
        columns.reduce(0) { $0 + GroupTexts.bytesEach($1.texts) }
    }

    /// Writes the texts of a combination as `GroupTexts` has them.
    /// - Returns: a hash of them, the same in all blocks.
    @inline(__always)
    func write(_ combination: Int, to run: inout [UInt8]) -> UInt64 {
        var hash: UInt64 = 0
        forEachText(of: combination) { column, text in
            if let text {
                column.texts.withRun(text) { GroupTexts.append($0, to: &run) }
                hash ^= column.texts.hashes[text] | 1
            } else {
                GroupTexts.appendNone(to: &run)
            }
            hash = ByteHash.mixed(hash)
        }
        return hash
    }

    /// Calls `body` for each key with the number of its text in a combination; `nil` if it has none.
    @inline(__always)
    private func forEachText(of combination: Int, _ body: (KeyColumn, Int?) -> Void) {
        var rest = combination
        for key in columns.indices {
            let (number, next) = rest.quotientAndRemainder(dividingBy: weights[key])
            rest = next
            body(columns[key], number > 0 ? number - 1 : nil)
        }
    }
}
