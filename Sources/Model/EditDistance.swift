/// The number of characters to insert, delete, replace, or swap with their neighbour to turn one text into another,
/// computed only up to a limit. No character is edited twice (optimal string alignment).
/// - Source: F. Damerau, "A technique for computer detection and correction of spelling errors", 1964; the algorithm:
///   E. Ukkonen, "Algorithms for approximate string matching", 1985
package enum EditDistance {
    /// - Returns: the distance, or `nil` when it is more than `limit`. It takes at most `limit` + 1 rounds of as many
    ///   steps, plus one step for each equal character: long texts take hardly longer than short ones.
    package static func between(_ one: [UInt32], _ other: [UInt32], limit: Int) -> Int? {
        guard abs(one.count - other.count) <= limit else { return nil }
        return one.withUnsafeBufferPointer { one in
            other.withUnsafeBufferPointer { other in
                withUnsafeTemporaryAllocation(of: Int.self, capacity: 2 * (2 * limit + 3)) { rows in
                    distance(one, other, limit: limit, rows)
                }
            }
        }
    }

    /// Returns the known name with the smallest distance to what was written, if it is similar enough to be a typing error.
    package static func nearest(to name: String, among known: [String]) -> String? {
        let scalars = name.unicodeScalars.map(\.value)
        let limit = max(1, name.count / 3)
        let near = known.compactMap { known in
            between(scalars, known.unicodeScalars.map(\.value), limit: limit).map { (name: known, edits: $0) }
        }
        return near.min { $0.edits < $1.edits }?.name
    }

    /// Returns the three names that are nearest to what was written, the nearest first, and equally near ones in their order.
    /// - Parameter distance: how far a name is from what was written; `nil` if it is not similar.
    package static func threeNearest<Name: Comparable>(
        among known: some Sequence<Name>, by distance: (Name) -> Int?
    ) -> [Name] {
        let near = known.compactMap { name in distance(name).map { (name: name, distance: $0) } }
        return near.sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }.prefix(3).map(\.name)
    }

    private typealias Text = UnsafeBufferPointer<UInt32>

    /// Each round allows one more edit. An offset is how many more characters of `other` are done than of `one`. For
    /// each offset, a round computes how many characters of `one` can be done. With the same edits and offset, further
    /// is never worse, so nothing else has to be remembered.
    private static func distance(
        _ one: Text, _ other: Text, limit: Int, _ rows: UnsafeMutableBufferPointer<Int>
    ) -> Int? {
        // The previous round and the current one, by offset, with an unreachable place at both ends.
        rows.initialize(repeating: -1)
        var (last, row) = (limit + 1, 3 * limit + 4)
        let end = other.count - one.count
        for edits in 0...limit {
            // With the edits that are left, other offsets cannot reach the ends of both texts.
            let left = limit - edits
            for offset in max(-edits, end - left)...min(edits, end + left) {
                let most = min(one.count, other.count - offset)
                var done = 0
                if edits > 0 {
                    let same = rows[last + offset]
                    let (replaced, inserted, deleted) = (same + 1, rows[last + offset - 1], rows[last + offset + 1] + 1)
                    let isSwap =
                        same >= 0 && same + 2 <= most && one[same] == other[same + offset + 1]
                        && one[same + 1] == other[same + offset]
                    done = max(min(max(replaced, inserted, deleted), most), isSwap ? same + 2 : 0)
                }
                while done < most, one[done] == other[done + offset] { done += 1 }
                rows[row + offset] = done
            }
            if rows[row + end] == one.count { return edits }
            swap(&last, &row)
        }
        return nil
    }
}
