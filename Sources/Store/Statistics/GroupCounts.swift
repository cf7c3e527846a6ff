internal import Model

/// Counts the events of each group, with a bounded number of groups.
struct GroupCounts: Sendable {
    struct Sum: Sendable {
        private(set) var count: Int64 = 0
        private var (first, last) = (Int64.max, Int64.min)

        /// The times of the first and the last event; `nil` if there is none.
        var times: ClosedRange<Int64>? { count > 0 ? first...last : nil }

        @inline(__always)
        mutating func add(at time: Int64) {
            count += 1
            (first, last) = (min(first, time), max(last, time))
        }

        mutating func add(_ other: Sum) {
            count += other.count
            (first, last) = (min(first, other.first), max(last, other.last))
        }
    }

    /// The groups, as `GroupTexts` writes them, by hashes of their texts.
    private var runs = ByteTable()
    /// What each group has.
    private(set) var sums: [Sum] = []
    /// See `GroupSums.uncertainty`.
    private(set) var uncertainty: Int64 = 0
    private var distinct = DistinctCount()
    /// How often an event was in a group.
    private var occurrences: Int64 = 0

    /// The most groups, and bytes of their texts, while they are counted.
    private static let mostGroups = 1 << 16
    private static let mostBytes = 8 << 20

    /// How many groups there were; an estimate if there were too many.
    var groups: Int {
        uncertainty == 0 ? sums.count : max(sums.count, min(distinct.count, Int(clamping: occurrences)))
    }

    /// Adds groups of a block. If there are too many groups then, those with the fewest events are forgotten.
    mutating func add(_ list: GroupList) {
        list.forEach { run, hash, sum in
            occurrences += sum.count
            let place = runs.number(of: run, hash: hash)
            if place < sums.count {
                sums[place].add(sum)
            } else {
                sums.append(sum)
                distinct.add(hash)
            }
        }
        keepWithinLimits()
    }

    /// - Source: the "frequent" algorithm of Misra and Gries (1982)
    private mutating func keepWithinLimits() {
        guard sums.count > Self.mostGroups || runs.bytes.count > Self.mostBytes, !sums.isEmpty else { return }
        let counts = sums.map(\.count).sorted()
        // All of a count go, or none: if nearly all have the same, those with fewer.
        var limit = counts[counts.count / 2]
        if let less = counts.last(where: { $0 < limit }), counts.count(where: { $0 > limit }) < counts.count / 4 {
            limit = less
        }
        uncertainty += limit
        let kept = sums.indices.filter { sums[$0].count > limit }
        if kept.isEmpty {
            // The memory is used again.
            runs.removeAll()
            sums.removeAll(keepingCapacity: true)
        } else {
            (runs, sums) = (only(kept), kept.map { sums[$0] })
        }
    }

    private func only(_ places: [Int]) -> ByteTable {
        var kept = ByteTable()
        for place in places { runs.withRun(place) { _ = kept.number(of: $0, hash: runs.hashes[place]) } }
        return kept
    }

    // MARK: results

    /// Returns the text of a group for a key; `nil` if it has none.
    func text(_ place: Int, key: Int) -> String? {
        GroupTexts.text(key, of: runs[place]).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the texts that the groups have for a key; `nil` if a group has none, or one that may not be what its events have:
    /// long texts are cut, of an array the elements may count, and what is not UTF-8 is replaced.
    func texts(key: Int) -> Set<ExactString>? {
        var texts: Set<ExactString> = []
        for place in sums.indices {
            guard let text = text(place, key: key), text.utf8.count < GroupTexts.longest,
                text.utf8.first != UInt8(ascii: "["), !text.unicodeScalars.contains("\u{FFFD}")
            else { return nil }
            texts.insert(ExactString(text))
        }
        return texts
    }

    /// Returns the places of the groups that are shown: those with most events, or of parts of time the latest.
    func chosen(_ query: GroupQuery) -> [Int] {
        guard let key = query.keys.firstIndex(where: { if case .time = $0 { true } else { false } }) else {
            return largest(query.limit)
        }
        let starts = sums.indices.map { text($0, key: key).flatMap { Int64($0) } ?? 0 }
        let latest = sums.indices.sorted { one, other in
            starts[one] != starts[other] ? starts[one] > starts[other] : isBefore(one, other)
        }
        return Array(latest.prefix(query.limit))
    }

    /// How many events a group may have that is not among those that were chosen, if not all groups were counted; else 0.
    func leftOut(beside chosen: [Int]) -> Int64 {
        guard uncertainty > 0 else { return 0 }
        let chosen = Set(chosen)
        return uncertainty + (sums.indices.lazy.filter { !chosen.contains($0) }.map { sums[$0].count }.max() ?? 0)
    }

    /// Returns the places of the groups with most events, in a fixed order.
    private func largest(_ limit: Int) -> [Int] {
        guard limit > 0 else { return [] }
        guard limit < sums.count else { return sums.indices.sorted(by: isBefore) }
        // Of those with as many events as the last one, only so many are compared by their texts.
        let least = sums.map(\.count).sorted(by: >)[limit - 1]
        let larger = sums.indices.filter { sums[$0].count > least }
        let equal = sums.indices.filter { sums[$0].count == least }
        let room = limit - larger.count
        // If some groups were forgotten, any will do: those that were counted one after the other are in few blocks.
        let rest = uncertainty > 0 ? equal.prefix(room).sorted(by: isBefore) : equal.first(room, by: isBefore)
        return larger.sorted(by: isBefore) + rest
    }

    /// The order of groups: that of their counts, and then of their texts, whichever was counted first.
    private func isBefore(_ one: Int, _ other: Int) -> Bool {
        if sums[one].count != sums[other].count { return sums[one].count > sums[other].count }
        return GroupTexts.isBefore(runs[one], runs[other])
    }

    // MARK: details

    /// Keeps only some groups, in this order, to find out more about them.
    mutating func keep(_ chosen: [Int]) {
        runs = only(chosen)
        sums = chosen.map { _ in Sum() }
    }

    /// Returns the place of a group that is known.
    func place(of run: UnsafeRawBufferPointer, hash: UInt64) -> Int? { runs.knownNumber(of: run, hash: hash) }

    mutating func count(at time: Int64, in place: Int) { sums[place].add(at: time) }
}
