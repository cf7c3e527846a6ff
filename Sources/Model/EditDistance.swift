/// How many characters must be inserted, deleted, replaced, or swapped with their neighbour to make one text of
/// another, counted only up to a limit. No character is edited twice (optimal string alignment).
/// - Source: F. Damerau, "A technique for computer detection and correction of spelling errors", 1964; how it is found:
///   E. Ukkonen, "Algorithms for approximate string matching", 1985
package enum EditDistance {
    /// - Returns: `nil` when it is more than `limit`. Takes `limit` + 1 rounds of as many steps at most, besides
    ///   stepping over characters that are the same: hardly longer for long texts than for short ones.
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

    private typealias Text = UnsafeBufferPointer<UInt32>

    /// Each round allows one more edit. For each offset (how many more characters of `other` are done than of `one`) it
    /// sees how much of `one` can be done: who gets further with the same edits and offset is never worse off, so nothing
    /// else need be remembered.
    private static func distance(
        _ one: Text, _ other: Text, limit: Int, _ rows: UnsafeMutableBufferPointer<Int>
    ) -> Int? {
        // The round before and this one, by offset, with a place at both ends that is never reached.
        rows.initialize(repeating: -1)
        var (last, row) = (limit + 1, 3 * limit + 4)
        let end = other.count - one.count
        for edits in 0...limit {
            // From other offsets the edits that are left do not lead to where both texts end.
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
