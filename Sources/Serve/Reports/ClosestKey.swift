import API
import Model

/// Finds the defined key that looks most like one that is not defined.
struct ClosestKey {
    /// Keys of one length. Their counts stand together, since most keys are ruled out by them.
    private struct Candidates {
        var counts: [CharacterCounts] = []
        var texts: [[UInt32]] = []
        var keys: [EventKey] = []
    }

    /// Category and name have at most 64 characters each in a definition; a key that is much longer is no slip.
    private static let maximumCharacters = 64 + 1 + 64 + maximumDistance
    /// A slip is one edit for each five characters of the key, and no more than this.
    private static let maximumDistance = 6
    /// How many keys are compared letter by letter, at most, for all that is looked for: senders could invent keys for
    /// which it takes long. Nothing is found after that.
    private static let maximumComparisons = 1_000_000

    /// By length.
    private var candidates: [Candidates]
    private var comparisonsLeft = Self.maximumComparisons

    init(_ dictionary: EventDictionary) {
        candidates = Array(repeating: Candidates(), count: Self.maximumCharacters + 1)
        for definition in dictionary.categories.lazy.flatMap(\.definitions) where !definition.isObsolete {
            let text = Self.text(definition.key)
            guard text.count <= Self.maximumCharacters else { continue }
            candidates[text.count].counts.append(CharacterCounts(text))
            candidates[text.count].texts.append(text)
            candidates[text.count].keys.append(definition.key)
        }
    }

    /// - Returns: `nil` when nothing is near enough.
    mutating func find(_ key: EventKey) -> UndefinedRow.Closest? {
        // A character has four bytes at most.
        guard key.category.utf8.count + key.name.utf8.count < Self.maximumCharacters * 4 else { return nil }
        let text = Self.text(key)
        guard text.count <= Self.maximumCharacters else { return nil }
        let counts = CharacterCounts(text)
        var best: (key: EventKey, distance: Int)?
        var limit = min(text.count / 5, Self.maximumDistance)
        // The same length first, then what is shorter and longer: that can only be as near as the lengths.
        var difference = 0
        while difference <= limit {
            for length in difference == 0 ? [text.count] : [text.count - difference, text.count + difference]
            where candidates.indices.contains(length) {
                let candidates = candidates[length]
                for index in candidates.counts.indices
                where counts.leastDistance(to: candidates.counts[index]) <= limit {
                    guard comparisonsLeft > 0 else { break }
                    comparisonsLeft -= 1
                    guard let distance = EditDistance.between(text, candidates.texts[index], limit: limit) else {
                        continue
                    }
                    best = (candidates.keys[index], distance)
                    limit = distance - 1
                }
            }
            difference += 1
        }
        return best.map { .init(category: $0.key.category, name: $0.key.name, distance: $0.distance) }
    }

    private static func text(_ key: EventKey) -> [UInt32] {
        key.category.unicodeScalars.map(\.value) + [UInt32(UInt8(ascii: "/"))] + key.name.unicodeScalars.map(\.value)
    }
}
