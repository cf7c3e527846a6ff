/// How many characters must be inserted, deleted, replaced, or swapped with their neighbour to make one text of
/// another, counted only up to a limit. No character is edited twice (optimal string alignment).
/// - Source: F. Damerau, "A technique for computer detection and correction of spelling errors", 1964
package enum EditDistance {
    /// - Returns: `nil` when it is more than `limit`. Takes time in proportion to `limit` times the length, and less
    ///   for texts that differ from the beginning.
    package static func between(_ one: [UInt32], _ other: [UInt32], limit: Int) -> Int? {
        guard abs(one.count - other.count) <= limit else { return nil }
        return one.withUnsafeBufferPointer { one in
            other.withUnsafeBufferPointer { other in
                let (one, other) = withoutCommonEnds(one[...], other[...])
                guard !one.isEmpty, !other.isEmpty else { return one.count + other.count }
                // The last three rows of the table of all distances between beginnings.
                return withUnsafeTemporaryAllocation(of: Int.self, capacity: 3 * (other.count + 1)) { table in
                    distance(.init(rebasing: one), .init(rebasing: other), limit: limit, table)
                }
            }
        }
    }

    private typealias Text = UnsafeBufferPointer<UInt32>

    private static func distance(
        _ one: Text, _ other: Text, limit: Int, _ table: UnsafeMutableBufferPointer<Int>
    ) -> Int? {
        let width = other.count + 1
        let tooMuch = limit + 1
        table.initialize(repeating: tooMuch)
        var (beforeLast, last, row) = (0, width, 2 * width)
        for j in 0..<width { table[last + j] = min(j, tooMuch) }
        var leastBefore = 0
        for i in 1...one.count {
            // Outside this band the lengths alone differ too much.
            let band = (max(1, i - limit), min(other.count, i + limit))
            table[row + band.0 - 1] = band.0 == 1 ? min(i, tooMuch) : tooMuch
            var least = table[row + band.0 - 1]
            for j in stride(from: band.0, through: band.1, by: 1) {
                var distance = min(table[last + j], table[row + j - 1]) + 1
                distance = min(distance, table[last + j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1))
                if i > 1, j > 1, one[i - 1] == other[j - 2], one[i - 2] == other[j - 1] {
                    distance = min(distance, table[beforeLast + j - 2] + 1)
                }
                table[row + j] = min(distance, tooMuch)
                least = min(least, distance)
            }
            if band.1 < other.count { table[row + band.1 + 1] = tooMuch }
            // What comes is built on these two rows.
            if min(least, leastBefore) > limit { return nil }
            leastBefore = least
            (beforeLast, last, row) = (last, row, beforeLast)
        }
        return table[last + other.count] <= limit ? table[last + other.count] : nil
    }

    private static func withoutCommonEnds(_ one: Text.SubSequence, _ other: Text.SubSequence)
        -> (Text.SubSequence, Text.SubSequence)
    {
        var (one, other) = (one, other)
        while let a = one.last, a == other.last {
            one.removeLast()
            other.removeLast()
        }
        while let a = one.first, a == other.first {
            one.removeFirst()
            other.removeFirst()
        }
        return (one, other)
    }
}
