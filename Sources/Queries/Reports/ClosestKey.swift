package import API
import Glibc
package import Model

/// Finds the defined key that is most similar to an undefined one.
package struct ClosestKey {
    private struct Candidate {
        var key: EventKey
        var text: [UInt32]
    }

    /// Category and name have at most 64 characters each in a definition; a much longer key is not a slip.
    private static let maximumCharacters = 64 + 1 + 64 + maximumDistance
    /// A slip is one edit for each five characters of the key, and no more than this.
    private static let maximumDistance = 6
    /// The most rounds of `EditDistance` for all keys together, because senders could invent keys that are expensive to compare.
    /// They take about 20 ms.
    package static let maximumRounds = 700_000
    /// After that, this many candidates are still compared for each key, the likeliest ones, so that most slips are found.
    private static let comparisonsAtLeast = 20

    /// Sorted by length, and by the order of the dictionary within a length.
    private let candidates: [Candidate]
    /// The index where each length begins, and the end.
    private let starts: [Int]
    private let counts: CharacterCounts
    private var roundsLeft: Int

    package init(_ dictionary: EventDictionary, rounds: Int = maximumRounds) {
        var byLength: [[Candidate]] = Array(repeating: [], count: Self.maximumCharacters + 1)
        let findsByName = dictionary.options.findsByName
        for category in dictionary.categories {
            for definition in category.definitions where !definition.isObsolete {
                // A program may send what payloads should call it, or the definition's own name.
                let sent = EventKey(category: category.sentAs, name: definition.sentAs)
                var keys = sent == definition.key ? [sent] : [sent, definition.key]
                if findsByName { keys.append(EventKey(category: "", name: definition.sentAs)) }
                for key in keys {
                    let text = Self.text(key)
                    guard text.count <= Self.maximumCharacters else { continue }
                    byLength[text.count].append(.init(key: definition.key, text: text))
                }
            }
        }
        candidates = Array(byLength.joined())
        starts = byLength.reduce(into: [0]) { starts, same in starts.append(starts[starts.count - 1] + same.count) }
        counts = CharacterCounts(candidates.map(\.text))
        roundsLeft = rounds
    }

    /// - Returns: `nil` when nothing is similar enough. Among equally similar keys, the one whose length differs least, then the
    ///   shorter one, then the first.
    package mutating func find(_ key: EventKey) -> UndefinedRow.Closest? {
        // A character has four bytes at most.
        guard key.category.utf8.count + key.name.utf8.count < Self.maximumCharacters * 4 else { return nil }
        let text = Self.text(key)
        guard text.count <= Self.maximumCharacters else { return nil }
        let limit = min(text.count / 5, Self.maximumDistance)
        let shortest = max(0, text.count - limit)
        let longest = min(text.count + limit, Self.maximumCharacters)
        let first = starts[shortest]
        let leastEdits = counts.leastEdits(from: text, toThose: first..<starts[longest + 1])
        let lengths = (shortest...longest).sorted { (abs($0 - text.count), $0) < (abs($1 - text.count), $1) }

        // Candidates that may be nearest by their characters come first: their distance is the limit for the others.
        var best = (distance: limit + 1, order: -1, index: -1)
        var comparisons = 0
        search: for least in 0...limit where least <= best.distance {
            for (order, length) in lengths.enumerated() {
                var next = starts[length]
                while let found = Self.first(least, in: leastEdits, next - first..<starts[length + 1] - first) {
                    let index = first + found
                    next = index + 1
                    // A candidate that precedes the best one may be equally near.
                    let goesBefore = (order, index) < (best.order, best.index)
                    let most = goesBefore ? best.distance : best.distance - 1
                    guard least <= most else { break }
                    guard roundsLeft > 0 || comparisons < Self.comparisonsAtLeast else { break search }
                    roundsLeft -= most + 1
                    comparisons += 1
                    guard let distance = EditDistance.between(text, candidates[index].text, limit: most) else {
                        continue
                    }
                    best = (distance, order, index)
                }
            }
        }
        guard best.distance <= limit else { return nil }
        let closest = candidates[best.index].key
        return .init(category: closest.category, name: closest.name, distance: best.distance)
    }

    /// memchr(3) is much faster than `firstIndex(of:)`, which would take longer than everything else here.
    private static func first(_ value: Int, in all: [UInt8], _ range: Range<Int>) -> Int? {
        all.withUnsafeBytes { all in
            guard let start = all.baseAddress, let found = memchr(start + range.lowerBound, Int32(value), range.count)
            else { return nil }
            return UnsafeRawPointer(found) - start
        }
    }

    private static func text(_ key: EventKey) -> [UInt32] {
        var text: [UInt32] = []
        text.reserveCapacity(key.category.utf8.count + 1 + key.name.utf8.count)
        for character in key.category.unicodeScalars { text.append(character.value) }
        text.append(UInt32(UInt8(ascii: "/")))
        for character in key.name.unicodeScalars { text.append(character.value) }
        return text
    }
}

/// Counts of characters in many texts. They rule out most candidates, at a nanosecond or less each.
struct CharacterCounts {
    /// Characters with the same low bits are counted together, so texts may seem nearer than they are, but never further.
    private static let places = 128
    private let lengths: [UInt8]
    /// The counts of all texts for the first place, then for the next, so that one instruction compares sixteen texts.
    private var counts: [UInt8]

    /// - Parameter texts: of at most 255 characters.
    init(_ texts: [[UInt32]]) {
        lengths = texts.map { UInt8($0.count) }
        counts = Array(repeating: 0, count: Self.places * texts.count)
        counts.withUnsafeMutableBufferPointer { counts in
            for (index, text) in texts.enumerated() {
                for character in text { counts[Self.place(character) * texts.count + index] += 1 }
            }
        }
    }

    /// Returns a lower bound of the edits (see `EditDistance`) from `text` to each of the texts.
    ///
    /// An edit removes at most one character and adds at most one. So there are at least as many edits as `text` has characters that the
    /// other lacks, plus the difference if the other is longer.
    func leastEdits(from text: [UInt32], toThose indices: Range<Int>) -> [UInt8] {
        var wanted = [UInt8](repeating: 0, count: Self.places)
        for character in text { wanted[Self.place(character)] += 1 }
        let length = UInt8(text.count)
        var edits = Array(lengths[indices])
        // Nothing can overflow. Without overflow checks the compiler vectorizes these loops.
        edits.withUnsafeMutableBufferPointer { edits in
            for index in edits.indices { edits[index] = max(edits[index], length) &- length }
            counts.withUnsafeBufferPointer { counts in
                for (place, wanted) in wanted.enumerated() where wanted > 0 {
                    let start = place * lengths.count
                    let counts = UnsafeBufferPointer(
                        rebasing: counts[start + indices.lowerBound..<start + indices.upperBound])
                    for index in edits.indices {
                        edits[index] &+= wanted &- min(wanted, counts[index])
                    }
                }
            }
        }
        return edits
    }

    private static func place(_ character: UInt32) -> Int { Int(character) & (places - 1) }
}
