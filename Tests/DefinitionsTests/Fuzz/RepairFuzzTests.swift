import Definitions
import Foundation
import Model
import TestSupport
import Testing

/// Whatever is edited, the repaired dictionary has no errors, and what was not touched stays.
struct RepairFuzzTests {
    private let options = DictionaryOptions(name: "shop", path: "definitions")

    private func parse(_ files: [DefinitionFile]) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        DictionaryParser.read(files, options: options)
    }

    private func keys(_ dictionary: EventDictionary) -> Set<EventKey> {
        Set(dictionary.categories.flatMap(\.definitions).map(\.key))
    }

    /// What holds for every repair.
    private func check(
        _ files: [DefinitionFile], unreadable: [String] = [], lastGood: [DefinitionFile], _ seed: UInt64
    ) -> DictionaryRepair {
        let repair = DictionaryRepair(files, unreadable: unreadable, lastGood: lastGood, options: options)
        var again = parse(repair.files)
        let errors = again.problems.filter { $0.severity == .error && $0.rule != .noDefinitions }
        #expect(errors == [], "seed \(seed)")
        // A version also says which definitions had errors.
        again.dictionary.broken = repair.dictionary.broken
        #expect(again.dictionary.version == repair.dictionary.version, "seed \(seed)")
        #expect(again.dictionary.categories == repair.dictionary.categories, "seed \(seed)")
        if !lastGood.isEmpty {
            // What is stored is the last good version of the next edit.
            let next = DictionaryRepair(files, unreadable: unreadable, lastGood: repair.files, options: options)
            #expect(keys(repair.dictionary).isSubset(of: keys(next.dictionary)), "seed \(seed)")
        }
        return repair
    }

    @Test func `random files with any other random files as the last good ones are repaired`() throws {
        let good = try FuzzCorpus.files()
        for seed in FuzzBudget.seeds(300) {
            var (mutation, other) = (Mutation(seed: seed), Mutation(seed: seed &+ 1_000_000))
            let last = check(other.files(of: good), lastGood: [], seed)
            let unreadable = seed % 5 == 0 ? ["b.md"] : seed % 7 == 0 ? ["types"] : []
            _ = check(mutation.files(of: good), unreadable: unreadable, lastGood: last.files, seed)
        }
    }

    private static let pieces = [
        "- x-y: !string\n", "- words: !bigint\n", "- z: !nothing\n", "## run\n", "## new\n\nNew.\n", "\n", "```\n",
        "<!--\n", "- order: Order\n", "- device: Device\n", "text", "\0", "- privacy: private\n", "sent as: show\n",
        "    - values: a\n", "## [Obsolete] tap\n", "# title\n", "[a]: b\n", "- platform: !string\n", "=====\n",
        "-----\n",
    ]

    /// A dictionary whose categories have nothing in common except for common.md and types that they do not change.
    private static let texts = [
        "common.md": "# common\n\n- platform: !string\n",
        "one.md":
            "# one\n\nOne.\n\n- one_id: !bigint\n\n## show\n\nShown.\n\n- a: Order\n\n## tap\n\nA tap.\n\n- b: !bigint\n",
        "two.md":
            "# two\n\nTwo.\n\n## run\n\nIt ran.\n\n- c: !string 64\n\n## stop\n\nIt stopped.\n\n- d: Device?",
        "types/device.md": "## Device\n\nA device.\n\n- model: Model\n\n## Model\n- !string 64\n",
        "types/order.md": "## Order\n- new\n- popular\n",
    ]

    private static let files = texts.map { DefinitionFile(name: $0.key, bytes: Array($0.value.utf8)) }
        .sorted { $0.name < $1.name }

    @Test func `the good files have no problems`() {
        #expect(parse(Self.files).problems == [])
    }

    @Test(arguments: ["one.md", "two.md"])
    func `random edits of one file never drop an event of another, nor its last good ones where it has an error`(
        _ name: String
    ) throws {
        let before = parse(Self.files).dictionary
        for seed in FuzzBudget.seeds(400) {
            var generator = SeededGenerator(seed: seed)
            var files = Self.files
            let index = try #require(files.firstIndex { $0.name == name })
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                var bytes = files[index].bytes
                let place = Int.random(in: 0...bytes.count, using: &generator)
                // At the beginning of a line as often as elsewhere.
                let start = Bool.random(using: &generator) ? place : (bytes[..<place].lastIndex(of: 0x0A) ?? -1) + 1
                if Int.random(in: 0...3, using: &generator) == 0 {
                    bytes.removeSubrange(start..<min(start + Int.random(in: 0...12, using: &generator), bytes.count))
                } else {
                    bytes.insert(
                        contentsOf: Array((Self.pieces.randomElement(using: &generator) ?? "").utf8), at: start)
                }
                files[index].bytes = bytes
            }
            let repair = check(files, lastGood: Self.files, seed)
            let (current, problems) = parse(files)
            for category in before.categories where "\(category.name).md" != name {
                #expect(repair.dictionary.category(category.name) == category, "seed \(seed)")
            }
            // Without an error in it, the file is in force as it is.
            guard problems.hasErrors else {
                #expect(repair.dictionary.categories == current.categories, "seed \(seed)")
                continue
            }
            let events = keys(repair.dictionary)
            let missing = keys(before).subtracting(events)
            #expect(missing.isEmpty, "seed \(seed): \(String(decoding: files[index].bytes, as: UTF8.self))")
            _ = check(files, lastGood: [], seed)
        }
    }

    @Test func `random edits of types and of common md drop no event that was good`() throws {
        let before = keys(parse(Self.files).dictionary)
        for seed in FuzzBudget.seeds(400) {
            var generator = SeededGenerator(seed: seed)
            var files = Self.files
            for index in files.indices where !["one.md", "two.md"].contains(files[index].name) {
                guard Bool.random(using: &generator) else { continue }
                let place = Int.random(in: 0...files[index].bytes.count, using: &generator)
                let piece = Self.pieces.randomElement(using: &generator) ?? ""
                files[index].bytes.insert(contentsOf: Array(piece.utf8), at: place)
            }
            let repair = check(files, lastGood: Self.files, seed)
            let after = keys(repair.dictionary)
            #expect(after == before, "seed \(seed)")
        }
    }
}
