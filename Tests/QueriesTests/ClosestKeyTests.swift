import API
import Model
import TestSupport
import Testing

@testable import Queries

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

    @Test func `keys of any length are compared in bounded time`() {
        let long = String(repeating: "long_name_", count: 100_000)
        #expect(closest("search/\(long)", ["search/run"]) == nil)
        #expect(closest("\(long)/run", ["search/run"]) == nil)
    }

    @Test func `an obsolete definition is no suggestion`() {
        var closest = ClosestKey(
            Sample.defining([Sample.definition("search/runs", obsolete: true)]))
        #expect(closest.find(EventKey(category: "search", name: "run")) == nil)
    }

    @Test(arguments: [
        (["search/ran_it", "search/rnu_it"], "search/ran_it 1"),
        (["search/rnu_it", "search/ran_it"], "search/rnu_it 1"),
        (["search/run_itt", "search/run_i", "search/run_at"], "search/run_at 1"),
        (["search/run_itt", "search/run_i"], "search/run_i 1"),
    ])
    func `of keys that are equally near the length decides, then the order`(definitions: [String], expected: String) {
        #expect(closest("search/run_it", definitions) == expected)
    }

    @Test func `it is what comparing with every definition gives`() {
        var random = SeededGenerator(seed: 4711)
        // The last character counts as the same as `a` until it is compared letter by letter.
        func key() -> EventKey {
            EventKey(category: random.text(of: "abá", length: 0...5), name: random.text(of: "abc_á", length: 0...25))
        }
        func slip(of key: EventKey) -> EventKey {
            var name = Array(key.name)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if !name.isEmpty { name.remove(at: Int.random(in: name.indices, using: &random)) }
                name.insert(
                    contentsOf: random.text(of: "abc", length: 0...2),
                    at: Int.random(in: 0...name.count, using: &random))
            }
            return EventKey(category: key.category, name: String(name))
        }
        var found = 0
        for _ in 0..<20 {
            let definitions = Set((0..<100).map { _ in key() }).sorted { $0.description < $1.description }.map {
                Sample.definition($0.description, obsolete: Int.random(in: 0..<4, using: &random) == 0)
            }
            let dictionary = Sample.defining(definitions)
            var closest = ClosestKey(dictionary)
            for _ in 0..<50 {
                let defined = definitions[Int.random(in: definitions.indices, using: &random)].key
                let key = Bool.random(using: &random) ? key() : slip(of: defined)
                let expected = plainClosest(key, dictionary)
                #expect(closest.find(key) == expected, "\(key)")
                if expected != nil { found += 1 }
            }
        }
        #expect((200...800).contains(found), "some are near, some are not")
    }

    @Test func `slips are still recognised when comparing took too long, unless many others look nearer`() {
        var random = SeededGenerator(seed: 4711)
        let name = "abcdefghijk_run"
        let anagrams = (0..<30).map { _ in "search/" + String(name.shuffled(using: &random)) }
        let slip = EventKey(category: "search", name: name)
        func closest(anagrams count: Int, rounds: Int) -> String? {
            let definitions = anagrams.prefix(count) + ["search/abcdefghijk_ran"]
            var closest = ClosestKey(Sample.defining(definitions.map { Sample.definition($0) }), rounds: rounds)
            return closest.find(slip)?.name
        }
        #expect(closest(anagrams: 10, rounds: 0) == "abcdefghijk_ran")
        #expect(closest(anagrams: 30, rounds: 0) == nil)
        #expect(closest(anagrams: 30, rounds: ClosestKey.maximumRounds) == "abcdefghijk_ran")
    }

    /// Compares with every definition, one after the other.
    private func plainClosest(_ key: EventKey, _ dictionary: EventDictionary) -> UndefinedRow.Closest? {
        func characters(_ key: EventKey) -> [UInt32] { key.description.unicodeScalars.map(\.value) }
        let wanted = characters(key)
        let near = dictionary.categories.flatMap(\.definitions).filter { !$0.isObsolete }.enumerated().compactMap {
            index, definition -> (order: (Int, Int, Int, Int), key: EventKey)? in
            let other = characters(definition.key)
            return EditDistance.between(wanted, other, limit: min(wanted.count / 5, 6)).map {
                (($0, abs(other.count - wanted.count), other.count, index), definition.key)
            }
        }
        return near.min { $0.order < $1.order }.map {
            .init(category: $0.key.category, name: $0.key.name, distance: $0.order.0)
        }
    }
}
