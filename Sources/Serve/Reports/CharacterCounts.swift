/// How often each character occurs in a text, roughly: characters share 32 places, and none counts beyond four.
///
/// Each edit changes two of the counts by one at most, one up and one down, so these tell in a few instructions that
/// two texts cannot be near.
struct CharacterCounts {
    /// Four bits for each place, as many of them set as there are such characters: then the differences of all counts
    /// are the bits that differ.
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private let length: Int

    init(_ text: [UInt32]) {
        length = text.count
        for character in text {
            let place = UInt64(character & 15) * 4
            if character & 16 == 0 { Self.count(place, in: &low) } else { Self.count(place, in: &high) }
        }
    }

    /// Sets the place's lowest bit that is not set.
    private static func count(_ place: UInt64, in bits: inout UInt64) {
        let mask: UInt64 = 15 << place
        bits |= ((bits & mask) << 1 | 1 << place) & mask
    }

    /// No more edits than are needed at least.
    func leastDistance(to other: CharacterCounts) -> Int {
        let differences = (low ^ other.low).nonzeroBitCount + (high ^ other.high).nonzeroBitCount
        return max((differences + 1) / 2, abs(length - other.length))
    }
}
