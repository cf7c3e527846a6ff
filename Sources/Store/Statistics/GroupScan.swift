internal import Model
internal import Synchronization

/// Groups stored events by their columns. Several threads may add blocks: most of the work is done before they wait for each
/// other.
final class GroupScan: Sendable {
    private let query: GroupQuery
    private let zone: Zone
    private let state: Mutex<State>

    fileprivate struct State {
        var counts: GroupCounts
        /// What is found out about the groups that were chosen; `nil` while all are counted.
        var details: GroupDetails?
        var events: Int64 = 0
        var times: ClosedRange<Int64>?
        /// What counting all groups resulted in.
        var counted: (groups: Int, uncertainty: Int64)?
    }

    init(_ query: GroupQuery, zone: Zone) {
        (self.query, self.zone) = (query, zone)
        state = Mutex(State(counts: GroupCounts(keys: query.keys.count)))
    }

    fileprivate typealias NumberedSum = (number: Int, sum: GroupCounts.Sum)

    /// Counts events of a block, by the numbers of their texts in the block.
    func count(_ block: some EventColumns, _ selection: [Int]) throws {
        guard !selection.isEmpty else { return }
        let groups = BlockGroups(try columns(of: block, selection))
        let times = try block.times().unpacked
        var (sums, places) = ([NumberedSum](), GroupPlaces(count: groups.count))
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
            // Events with many findings are in many groups.
            if sums.count > Self.mostAtOnce {
                state.withLock { $0.add(sums, groups) }
                (sums, places) = ([], GroupPlaces(count: groups.count))
            }
        }
        state.withLock { state in
            state.events += Int64(selection.count)
            state.add(sums, groups)
        }
    }

    private static let mostAtOnce = 1 << 14

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
    fileprivate mutating func add(_ sums: [GroupScan.NumberedSum], _ groups: BlockGroups) {
        for (number, sum) in sums {
            times =
                times.map {
                    min($0.lowerBound, sum.times.lowerBound)...max($0.upperBound, sum.times.upperBound)
                } ?? sum.times
            counts.add(sum, to: groups.identity(of: number) { counts.number(of: $0, key: $1) })
        }
        counts.keepWithinLimits()
    }

    fileprivate mutating func choose(_ query: GroupQuery) {
        let chosen = counts.chosen(query).map { counts.sums[$0].identity }
        details = GroupDetails(query, groups: chosen.count, range: times ?? 0...0)
        counted = (counts.groups, counts.leftOut(beyond: query.limit))
        counts = counts.only(chosen)
    }

    fileprivate func result(_ query: GroupQuery) -> GroupSums {
        var sums = GroupSums(
            events: events, groups: counted?.groups ?? counts.groups,
            uncertainty: counted?.uncertainty ?? 0, times: times, trendTimes: details?.trendTimes)
        let isOverTime = query.keys.contains { if case .time = $0 { true } else { false } }
        sums.rows = counts.chosen(query).filter { counts.sums[$0].sum.count > 0 }.map { place in
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
    /// Returns the places of the groups that are shown: those with most events, or of parts of time the latest.
    func chosen(_ query: GroupQuery) -> [Int] {
        guard let key = query.keys.firstIndex(where: { if case .time = $0 { true } else { false } }) else {
            return largest(query.limit)
        }
        let starts = sums.map { text($0.identity, key: key).flatMap { Int64($0) } ?? 0 }
        let latest = sums.indices.sorted { one, other in
            starts[one] != starts[other] ? starts[one] > starts[other] : isBefore(one, other)
        }
        return Array(latest.prefix(query.limit))
    }

    /// How many events a group may have that is not among the largest, if not all groups were counted; else 0.
    func leftOut(beyond limit: Int) -> Int64 {
        guard uncertainty > 0 else { return 0 }
        guard limit < sums.count, limit > 0 else { return uncertainty }
        return uncertainty + sums.map(\.sum.count).sorted(by: >)[limit - 1]
    }

    /// Returns the places of the groups with most events, in a fixed order.
    private func largest(_ limit: Int) -> [Int] {
        guard limit > 0 else { return [] }
        guard limit < sums.count else { return sums.indices.sorted(by: isBefore) }
        // Of those with as many events as the last one, only so many are compared by their texts.
        let least = sums.map(\.sum.count).sorted(by: >)[limit - 1]
        let larger = sums.indices.filter { sums[$0].sum.count > least }
        let equal = sums.indices.filter { sums[$0].sum.count == least }
        let room = limit - larger.count
        // If some groups were forgotten, any will do: those that were counted one after the other are in few blocks.
        let rest = uncertainty > 0 ? equal.prefix(room).sorted(by: isBefore) : first(room, of: equal)
        return larger.sorted(by: isBefore) + rest
    }

    /// Returns the first places in the order of `isBefore`, without sorting all.
    private func first(_ count: Int, of places: [Int]) -> [Int] {
        var kept: [Int] = []
        for place in places {
            if kept.count == count {
                guard let last = kept.last, isBefore(place, last) else { continue }
                kept.removeLast()
            }
            var (low, high) = (0, kept.count)
            while low < high {
                let middle = (low + high) / 2
                if isBefore(kept[middle], place) { low = middle + 1 } else { high = middle }
            }
            kept.insert(place, at: low)
        }
        return kept
    }

    /// The order of groups: that of their counts, and then of their texts, whichever was counted first.
    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        let (first, second) = (sums[one], sums[other])
        if first.sum.count != second.sum.count { return first.sum.count > second.sum.count }
        for key in texts.indices where first.identity[key] != second.identity[key] {
            let (a, b) = (bytes(first.identity, key: key), bytes(second.identity, key: key))
            return a.lexicographicallyPrecedes(b)
        }
        return one < other
    }

    private func bytes(_ identity: Identity, key: Int) -> ArraySlice<UInt8> {
        identity[key] == 0 ? [] : texts[key][Int(identity[key]) - 1]
    }
}

/// The groups of one block, as combinations of the texts of its columns.
struct BlockGroups {
    let columns: [KeyColumn]
    /// The number of possible combinations.
    let count: Int
    /// What the number of a text counts in the number of a combination.
    private let weights: [Int]
    /// The columns that have one text for each event.
    private let simple: [Int]
    /// Of columns with lists that belong together: the number of an event's list, and for each of them what its combinations
    /// of texts count.
    private let ofLists: [(numbers: [Int32], sums: [[Int]])]

    /// - Parameter columns: those with findings are of one kind of findings.
    init(_ columns: [KeyColumn]) {
        self.columns = columns
        var (weights, count) = ([Int](repeating: 0, count: columns.count), 1)
        for key in columns.indices.reversed() {
            weights[key] = count
            count = count &* (columns[key].texts.count + 1)
        }
        (self.weights, self.count) = (weights, max(count, 1))
        simple = columns.indices.filter { columns[$0].lists == nil }
        let listed = columns.indices.filter { columns[$0].lists != nil }
        let findings = listed.filter { columns[$0].isOfFindings }
        let groups = (findings.isEmpty ? [] : [findings]) + listed.filter { !columns[$0].isOfFindings }.map { [$0] }
        ofLists = groups.compactMap { keys in
            guard let lists = columns[keys[0]].lists else { return nil }
            // An event counts once for a combination, however often it has it.
            let sums = lists.indices.map { number -> [Int] in
                let length = lists[number].count
                guard length > 0 else { return [0] }
                let all = (0..<length).map { place in
                    keys.reduce(0) { $0 + (Int(columns[$1].lists?[number][place] ?? -1) + 1) * weights[$1] }
                }
                return length == 1 ? all : Array(Set(all))
            }
            return (columns[keys[0]].numbers, sums)
        }
    }

    /// Calls `body` with the number of each combination that an event has.
    @inline(__always)
    func forEachNumber(of event: Int, _ body: (Int) -> Void) {
        var number = 0
        for key in simple { number += (Int(columns[key].numbers[event]) + 1) * weights[key] }
        if ofLists.isEmpty { body(number) } else { forEachNumber(of: event, from: 0, number, body) }
    }

    /// - Parameter list: the first of the lists that are not in the number yet.
    private func forEachNumber(of event: Int, from list: Int, _ number: Int, _ body: (Int) -> Void) {
        guard list < ofLists.count else { return body(number) }
        let (numbers, sums) = ofLists[list]
        for sum in sums[Int(numbers[event])] { forEachNumber(of: event, from: list + 1, number + sum, body) }
    }

    /// Returns the texts of a combination.
    func texts(of combination: Int) -> [ExactString?] {
        var (texts, rest) = ([ExactString?](repeating: nil, count: columns.count), combination)
        for key in columns.indices.reversed() {
            let (next, text) = rest.quotientAndRemainder(dividingBy: columns[key].texts.count + 1)
            rest = next
            if text > 0 {
                texts[key] = columns[key].texts[text - 1].withUnsafeBytes {
                    ExactString(String(decoding: $0, as: UTF8.self))
                }
            }
        }
        return texts
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
