import API
import Model
import TestSupport
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
        var random = SeededGenerator(seed: 4711)
        func name() -> String { random.text(of: "abc_", length: 8...14) }
        let keys = Set((0..<200).map { _ in EventKey(category: "cat", name: name()) })
        var closest = ClosestKey(Sample.defining(keys.map { Sample.definition($0.description) }))
        for _ in 0..<30 {
            let key = EventKey(category: "cat", name: name())
            let limit = min(key.description.count / 5, 6)
            let nearest = keys.compactMap { distance(key, $0) }.min() ?? 0
            #expect(closest.find(key)?.distance == (nearest <= limit ? nearest : nil))
        }
    }

    private func distance(_ one: EventKey, _ other: EventKey) -> Int? {
        func characters(_ key: EventKey) -> [UInt32] { key.description.unicodeScalars.map(\.value) }
        return EditDistance.between(characters(one), characters(other), limit: 200)
    }
}
