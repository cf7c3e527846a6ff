/// How often each character occurs in each of many texts: that is enough to tell of most, at a nanosecond or less each,
/// that they cannot be near another text.
struct CharacterCounts {
    /// Characters that have the same low bits are counted as one, so texts may look nearer than they are, never further.
    private static let places = 128
    private let lengths: [UInt8]
    /// The counts of all texts for the first place, then for the next: one instruction compares a text with sixteen.
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

    /// For each of those texts, how many edits (see `EditDistance`) are needed at least.
    ///
    /// Each edit takes away one character at most, so as many are needed as `text` has characters that the other lacks.
    /// Each edit adds one at most: the other has as many that `text` lacks, and when it is longer, so many more.
    func leastEdits(from text: [UInt32], toThose indices: Range<Int>) -> [UInt8] {
        var wanted = [UInt8](repeating: 0, count: Self.places)
        for character in text { wanted[Self.place(character)] += 1 }
        let length = UInt8(text.count)
        var edits = Array(lengths[indices])
        // Nothing overflows, and without checks for that the compiler makes vector instructions of these loops.
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
