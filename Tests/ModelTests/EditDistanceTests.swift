import Model
import TestSupport
import Testing

struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "abc", 3), ("kitten", "sitting", 3), ("ab", "ba", 1), ("abcd", "badc", 2),
        ("ca", "abc", 3), ("保存", "存保", 1),
    ])
    func `insertions, deletions, replacements and swaps count one each`(one: String, other: String, expected: Int) {
        for limit in 0...6 {
            let bounded = limit < expected ? nil : expected
            #expect(EditDistance.between(scalars(one), scalars(other), limit: limit) == bounded)
            #expect(EditDistance.between(scalars(other), scalars(one), limit: limit) == bounded)
        }
    }

    @Test func `long texts are compared as well`() {
        let long = String(repeating: "abcdefgh", count: 1000)
        let other = "b" + long.replacing("hab", with: "hba", maxReplacements: 2) + "abcdefg"
        #expect(EditDistance.between(scalars(long), scalars(other), limit: 10) == 10)
        #expect(EditDistance.between(scalars(long), scalars(other), limit: 9) == nil)
    }

    @Test func `the three nearest are ordered by distance, then by name`() {
        let near = EditDistance.threeNearest(among: ["bend", "sand", "and", "band", "hands", "far"]) {
            EditDistance.between(scalars("hand"), scalars($0), limit: 2)
        }
        #expect(near == ["and", "band", "hands"])
    }

    @Test func `up to its limit it is what the whole table gives`() {
        var random = SeededGenerator(seed: 4711)
        for _ in 0..<3000 {
            let (one, other) = (random.text(of: "abc", length: 0...9), random.text(of: "abc", length: 0...9))
            let limit = Int.random(in: 0...9, using: &random)
            let whole = plainDistance(one, other)
            #expect(
                EditDistance.between(scalars(one), scalars(other), limit: limit) == (whole <= limit ? whole : nil),
                "\(one) \(other) \(limit)")
        }
    }
}

private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

/// The same without limit, band and cut-off.
private func plainDistance(_ one: String, _ other: String) -> Int {
    let (a, b) = (scalars(one), scalars(other))
    var table = (0...a.count).map { i in (0...b.count).map { j in i == 0 ? j : (j == 0 ? i : 0) } }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    for i in 1...a.count {
        for j in 1...b.count {
            var best = min(table[i - 1][j], table[i][j - 1]) + 1
            best = min(best, table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, table[i - 2][j - 2] + 1) }
            table[i][j] = best
        }
    }
    return table[a.count][b.count]
}
