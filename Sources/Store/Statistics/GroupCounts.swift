internal import Model

/// Counts the events of each group, with a bounded number of groups.
struct GroupCounts: Sendable {
    /// The numbers of a group's texts, plus 1; 0 where it has none.
    struct Identity: TableKey {
        private var low: UInt64 = 0
        private var high: UInt64 = 0

        var words: (UInt64, UInt64) { (low, high) }

        static let zero = Identity()

        subscript(key: Int) -> Int32 {
            get { Int32(truncatingIfNeeded: (key < 2 ? low : high) >> UInt64(key % 2 * 32)) }
            set {
                let shift = UInt64(key % 2 * 32)
                let (bits, others) = (UInt64(UInt32(bitPattern: newValue)) << shift, ~(UInt64(UInt32.max) << shift))
                if key < 2 { low = low & others | bits } else { high = high & others | bits }
            }
        }
    }

    struct Sum: Sendable {
        var count: Int64
        var times: ClosedRange<Int64>

        @inline(__always)
        mutating func add(at time: Int64) {
            count += 1
            times = min(times.lowerBound, time)...max(times.upperBound, time)
        }

        mutating func add(_ other: Sum) {
            count += other.count
            times = min(times.lowerBound, other.times.lowerBound)...max(times.upperBound, other.times.upperBound)
        }
    }

    /// The texts of each key.
    private(set) var texts: [ByteTable]
    /// The groups, with the numbers of their sums.
    private var places = KeyTable<Identity>()
    private(set) var sums: [(identity: Identity, sum: Sum)] = []
    /// See `GroupSums.uncertainty`.
    private(set) var uncertainty: Int64 = 0
    private var distinct = DistinctCount()

    /// The most groups, and bytes of their texts, while they are counted.
    private static let mostGroups = 1 << 16
    private static let mostBytes = 2 << 20

    init(keys: Int) { texts = [ByteTable](repeating: ByteTable(), count: keys) }

    /// How many groups there were.
    var groups: Int { uncertainty == 0 ? sums.count : max(sums.count, distinct.count) }

    /// Returns the number of a text of a key, plus 1.
    mutating func number(of text: UnsafeRawBufferPointer, key: Int) -> Int32 {
        Self.withShort(text) { texts[key].number(of: $0) + 1 }
    }

    private static let longestText = 512

    /// Calls `body` with the text, or with the beginning of a long one and a number that distinguishes it.
    private static func withShort<Result>(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard text.count > longestText else { return body(text) }
        var end = longestText
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        let mark = " … (\(text.count) bytes, \(String(ByteHash.hash(text), radix: 16)))"
        return (Array(text[..<end]) + Array(mark.utf8)).withUnsafeBytes(body)
    }

    mutating func add(_ sum: Sum, to identity: Identity) {
        let place = places.number(of: identity)
        if place < sums.count {
            sums[place].sum.add(sum)
        } else {
            sums.append((identity, sum))
            distinct.add(hash(of: identity))
        }
    }

    private func hash(of identity: Identity) -> UInt64 {
        var hash: UInt64 = 0
        for key in texts.indices {
            // Of the texts, since their numbers change.
            let number = Int(identity[key]) - 1
            let text =
                number < 0 ? 0 : texts[key][number].withUnsafeBytes { ByteHash.hash($0, seed: DistinctCount.seed) | 1 }
            hash = ByteHash.mixed(hash ^ text)
        }
        return hash
    }

    /// Call it between blocks: if there are too many groups, those with the fewest events are forgotten.
    /// - Source: the "frequent" algorithm of Misra and Gries (1982)
    mutating func keepWithinLimits() {
        let isFull = sums.count > Self.mostGroups || texts.reduce(0) { $0 + $1.bytes.count } > Self.mostBytes
        guard isFull, !sums.isEmpty else { return }
        let counts = sums.map(\.sum.count).sorted()
        // All of a count go, or none: if nearly all have the same, those with fewer.
        var limit = counts[counts.count / 2]
        if let less = counts.last(where: { $0 < limit }), counts.count(where: { $0 > limit }) < counts.count / 4 {
            limit = less
        }
        uncertainty = max(uncertainty, 0) + limit
        let kept = sums.filter { $0.sum.count > limit }
        let old = texts
        texts = [ByteTable](repeating: ByteTable(), count: old.count)
        (places, sums) = (KeyTable(), [])
        for (identity, sum) in kept {
            var moved = Identity.zero
            for key in old.indices where identity[key] > 0 {
                moved[key] = old[key][Int(identity[key]) - 1].withUnsafeBytes { number(of: $0, key: key) }
            }
            _ = places.number(of: moved)
            sums.append((moved, sum))
        }
    }

    /// Returns the text of a group for a key; `nil` if it has none.
    func text(_ identity: Identity, key: Int) -> String? {
        identity[key] == 0 ? nil : String(decoding: texts[key][Int(identity[key]) - 1], as: UTF8.self)
    }

    /// Returns the texts that the groups have for a key; `nil` if a group has none, or one that may not be what its events have:
    /// long texts are cut, of an array the elements may count, and what is not UTF-8 is replaced.
    func texts(key: Int) -> Set<ExactString>? {
        var texts: Set<ExactString> = []
        for (identity, _) in sums {
            guard let text = text(identity, key: key), text.utf8.count < Self.longestText,
                text.utf8.first != UInt8(ascii: "["), !text.unicodeScalars.contains("\u{FFFD}")
            else { return nil }
            texts.insert(ExactString(text))
        }
        return texts
    }

    /// Returns the place of a group that is known.
    func place(of identity: Identity) -> Int? { places.knownNumber(of: identity) }

    /// Keeps only some groups, in this order, to find out more about them.
    func only(_ chosen: [Identity]) -> GroupCounts {
        var counts = self
        counts.places = KeyTable()
        counts.sums = []
        for identity in chosen {
            _ = counts.places.number(of: identity)
            counts.sums.append((identity, Sum(count: 0, times: 0...0)))
        }
        return counts
    }

    mutating func count(at time: Int64, in place: Int) {
        if sums[place].sum.count == 0 {
            sums[place].sum = Sum(count: 1, times: time...time)
        } else {
            sums[place].sum.add(at: time)
        }
    }

    /// Returns the number of a text that is known, plus 1; `nil` for another.
    func knownNumber(of text: UnsafeRawBufferPointer, key: Int) -> Int32? {
        Self.withShort(text) { texts[key].knownNumber(of: $0).map { Int32($0 + 1) } }
    }
}
