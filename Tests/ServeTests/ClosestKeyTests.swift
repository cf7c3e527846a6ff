import API
import Model
import Testing

@testable import Serve

struct ClosestKeyTests {
    private func closest(_ key: String, _ definitions: [String]) -> String? {
        var closest = ClosestKey(Sample.defining(definitions.map { Sample.definition($0) }))
        return closest.find(Sample.definition(key).key).map { "\($0.category)/\($0.name) \($0.distance)" }
    }

    @Test(arguments: [
        ("recipe_detail/tap_save_buton", "recipe_detail/tap_save_button 1"),
        ("recipe_detail/tpa_save_button", "recipe_detail/tap_save_button 1"),
        ("recipe_details/tap_save_button", "recipe_detail/tap_save_button 1"),
        ("recipe_detail/TAP_save_button", "recipe_detail/tap_save_button 3"),
        ("recipe-detail/tap-save-button", "recipe_detail/tap_save_button 3"),
        ("search/ru", "search/run 1"),
    ])
    func `a slip is recognised`(key: String, expected: String) {
        #expect(closest(key, ["recipe_detail/tap_save_button", "recipe_detail/tap_share", "search/run"]) == expected)
    }

    @Test(arguments: [
        "nothing/like_it_at_all", "a/b", "recipe_detail/保存した時のイベント", "search/walk_around", "/", "search/",
    ])
    func `what is too different has no suggestion`(key: String) {
        #expect(closest(key, ["recipe_detail/tap_save_button", "search/run"]) == nil)
    }

    @Test func `keys of any length are looked at in bounded time`() {
        let long = String(repeating: "long_name_", count: 100_000)
        #expect(closest("search/\(long)", ["search/run"]) == nil)
        #expect(closest("\(long)/run", ["search/run"]) == nil)
    }

    @Test func `an obsolete definition is no suggestion`() {
        var closest = ClosestKey(
            Sample.defining([Sample.definition("search/runs", obsolete: true)]))
        #expect(closest.find(EventKey(category: "search", name: "run")) == nil)
    }

    @Test func `the nearest of thousands is found, as without shortcuts`() {
        var random = RandomNumbers()
        func name() -> String { random.text(of: "abc_", length: 8...14) }
        let keys = Set((0..<200).map { _ in EventKey(category: "cat", name: name()) })
        var closest = ClosestKey(Sample.defining(keys.map { Sample.definition($0.description) }))
        for _ in 0..<30 {
            let key = EventKey(category: "cat", name: name())
            let limit = min(key.description.count / 5, 6)
            let nearest = keys.map { plainDistance(key.description, $0.description) }.min() ?? 0
            #expect(closest.find(key)?.distance == (nearest <= limit ? nearest : nil))
        }
    }
}

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

    @Test func `up to its limit it is what the whole table gives`() {
        var random = RandomNumbers()
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
