import Definitions
import Foundation
import Model
import TestSupport
import Testing

/// Whatever the text is, Gloss reads what daifuku reads, or says why not.
@Suite(.enabled(if: DaifukuReading.reasonToSkip == nil, "\(DaifukuReading.reasonToSkip ?? "")"))
struct DaifukuFuzzTests {
    private static let pieces = [
        "# ", "## ", "##", "### ", "- ", "* ", "+ ", "1. ", " ", "  ", "    ", "\t", "\n", "\n\n", "\n\n", "\n", "> ",
        "```", "---", "===", "***", "**", "__", "_", "`", "[", "](", ")", "]", "[obsolete] ", "<!--", "-->", "\\",
        "&lt;", "|", "x: !string 8", "y: !bigint?", "z: Order", "name", "日本語", ":", "!", "?", "8", "\n## ev\n\n",
        "\n## ew\n\ntext\n\n- a: !string\n", "\n\n- p: !bigint\n    - about p\n- q: Order?\n",
        "    - privacy: private\n", "    - values: a, b\n", "word ", "[a]: http://x\n", "[a]", "[b]: ", "<http://a.b>",
        "~~~", "http://x.y", "<!-- c -->\n", "a | b\n--|--\n1 | 2\n", "    - d\n", "  - e\n", "   - f\n", " - g\n",
        "        - h\n", "\n\n    more\n", "word\n", "# t\n", "'", "\"", "^", "=", "&", "~~", "==", "é", "<b>", "</b>",
        "<div>", "</div>", "<hr/>",
    ]

    /// What daifuku makes of these depends on libxml2, or on how a list item would be without its list.
    private static let unlike: Set<LintRule> = [.ignoredHTML, .swallowedLine]

    /// - Returns: the number of texts that both read.
    private func compare(_ texts: [(seed: UInt64, bytes: [UInt8])]) async throws -> Int {
        // libxml2 does not take control characters.
        let readable = texts.filter { text in
            String(validating: text.bytes, as: UTF8.self) != nil
                && text.bytes.allSatisfy { $0 >= 0x20 || (0x09...0x0D).contains($0) }
        }
        let readings = try await DaifukuReading.read(readable.map { String(decoding: $0.bytes, as: UTF8.self) })
        try #require(readings.count == readable.count)
        var compared = 0
        for (text, daifuku) in zip(readable, readings) {
            let (dictionary, problems) = DictionaryParser.read(
                [DefinitionFile(name: "a.md", bytes: text.bytes)], options: DictionaryOptions(name: "a", path: "a"))
            if problems.contains(where: { $0.severity == .error || Self.unlike.contains($0.rule) }) { continue }
            compared += 1
            let gloss = DaifukuReading(dictionary, problems)
            let shown = String(decoding: text.bytes.prefix(1000), as: UTF8.self).debugDescription
            #expect(
                gloss.plain == daifuku.plain, "seed \(text.seed): \(gloss.difference(to: daifuku)) in \(shown)")
        }
        return compared
    }

    /// Compares the texts of as many seeds, some hundred at a time: starting Ruby takes long.
    private func compare(_ count: UInt64, _ text: (_ seed: UInt64) -> [UInt8]) async throws -> Int {
        let seeds = FuzzBudget.seeds(count).makeIterator()
        var compared = 0
        while true {
            var texts: [(seed: UInt64, bytes: [UInt8])] = []
            while texts.count < 500, let seed = seeds.next() { texts.append((seed, text(seed))) }
            guard !texts.isEmpty else { return compared }
            compared += try await compare(texts)
        }
    }

    @Test func `whatever is put together, both read the same`() async throws {
        let compared = try await compare(3000) { Self.text($0) }
        #expect(compared > 0)
    }

    private static func text(_ seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...40, using: &generator)
        let text = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
        let file = Bool.random(using: &generator) ? "## name\n\n\(text)" : text
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        return Array(lines.joined(separator: seed % 5 == 0 ? "\r\n" : "\n").utf8)
    }

    @Test func `good files, with and without a few changes, are read the same`() async throws {
        let good = try FuzzCorpus.files().filter { !["common.md", "Common.md"].contains($0.name) }
        var compared = try await compare(good.map { (0, $0.bytes) })
        #expect(compared > 20)
        compared += try await compare(1000) { seed in
            var mutation = Mutation(seed: seed)
            return mutation.files(of: good)[0].bytes
        }
        #expect(compared > 20)
    }
}
