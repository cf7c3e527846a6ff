import Definitions
import Foundation
import Model
import Resolve
import TestSupport
import Testing

/// Whatever the bytes are, the parser returns soon, and says what is wrong or gives a dictionary that can be used.
/// `make fuzz` runs these for longer; a failure names its seed, which makes the same text again.
struct ParserFuzzTests {
    private static let pieces = [
        "# ", "## ", "##", "### ", "- ", "* ", "+ ", "1. ", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "> ", "```",
        "---", "===", "***", "**", "__", "_", "`", "[", "](", ")", "]", "[obsolete] ", "<!--", "-->", "<div>", "</div>",
        "\\", "&lt;", "|", "x: !string 8", "y: !bigint?", "z: Order", "name", "日本語", "：", ":", "!", "?", "8", "\u{0}",
        "\u{FEFF}", "    - privacy: private\n", "    - privacy: hash\n", "    - values: a, b\n", "    - user\n",
        "    - device\n", "    - a: !string\n", "privacy", "values: ", "＃＃ ", "－ ", "・ ", "\u{3000}", "！", "？",
        "privacy： private",
        "［obsolete］", "(obsolete) ", "## T\n", "## U\n", "- t: T\n", "- u: [U?] 3\n", "- [T] 5\n", "- !any\n",
        "- [[!integer]]? 2\n", "sent as: x\n", "sent as: ", "extra parameters: allowed\n", "extra parameters: ",
    ]

    private func read(_ files: [DefinitionFile]) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        DictionaryParser.read(
            files, options: DictionaryOptions(name: "a", path: "a", types: ["Order": .values(["new", "popular"])]))
    }

    /// What holds for every text.
    private func check(_ files: [DefinitionFile], _ seed: UInt64) {
        let (dictionary, problems) = read(files)
        let names = Set(files.map(\.name))
        for problem in problems {
            #expect(names.contains(problem.file) && problem.line > 0, "seed \(seed): \(problem)")
            #expect(problem.column > 0, "seed \(seed): \(problem)")
            #expect(problem.message.count < 1000, "seed \(seed): \(problem)")
        }
        #expect(problems == read(files.reversed()).problems, "seed \(seed)")
        #expect(Evolution.check(dictionary, against: dictionary).isEmpty, "seed \(seed)")
        if !problems.hasErrors { return checkUse(dictionary, seed) }
        let repair = DictionaryRepair(files, lastGood: [], options: dictionary.options)
        let errors = read(repair.files).problems.filter { $0.severity == .error && $0.rule != .noDefinitions }
        #expect(errors == [], "seed \(seed)")
        checkUse(repair.dictionary, seed)
    }

    /// An event that has only its key is resolved, unless it lacks a parameter.
    private func checkUse(_ dictionary: EventDictionary, _ seed: UInt64) {
        var resolver = Resolver(
            dictionaries: [dictionary], protection: Protection(mode: .protect, key: Array(0..<32)))
        for category in dictionary.categories {
            for definition in category.definitions {
                let key = definition.key
                let names = [category.sentAs, definition.sentAs].map {
                    $0.replacing(#"\"#, with: #"\\"#).replacing(#"""#, with: #"\""#)
                }
                let payload = Array(#"{"event_category":"\#(names[0])","event_name":"\#(names[1])"}"#.utf8)
                let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
                let parameters = dictionary.common + category.parameters + definition.parameters
                let isComplete = !parameters.contains { !$0.isOptional && !$0.isObsolete }
                #expect(outcome.resolution == (isComplete ? .resolved : .violating), "seed \(seed): \(key)")
                #expect(outcome.kind.key == key, "seed \(seed)")
                #expect(dictionary.definition(key) == definition, "seed \(seed): \(key)")
            }
        }
    }

    @Test func `whatever is put together, the parser returns, and what it returns can be resolved by`() {
        for seed in FuzzBudget.seeds(800) {
            var generator = SeededGenerator(seed: seed)
            let names = ["a.md", "types/t.md", "b.md", "common.md"].prefix(Int.random(in: 1...4, using: &generator))
            let files = names.map { name in
                let count = Int.random(in: 0...60, using: &generator)
                let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
                return DefinitionFile(name: name, bytes: Array(text.utf8))
            }
            check(files, seed)
        }
    }

    @Test func `bytes that are no text at all are refused or read`() {
        for seed in FuzzBudget.seeds(400) {
            var generator = SeededGenerator(seed: seed)
            let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
            check([DefinitionFile(name: "a.md", bytes: bytes)], seed)
        }
    }

    @Test func `good files with a few changes are refused or read`() throws {
        let good = try FuzzCorpus.files()
        #expect(good.count > 50)
        for seed in FuzzBudget.seeds(400) {
            var mutation = Mutation(seed: seed)
            check(mutation.files(of: good), seed)
        }
    }

    /// Each of these makes a parser that starts over at every mark go over the text again and again.
    @Test(arguments: [
        "**a ", "`", "``a`", "[", "[a](", "<!-- a\n\n", "<!-- a --> b\n\n", "<div>\n\n", "> ", "- ", "- a\n ", "#",
        "x:", "x: ", "\\", "&", "_a __b ", "a\n", " ", "\n", "- - - - ", "1. ", "a: b: ", "***a __b", "|",
        "    - privacy: x\n", "t\n    - a: !string\n", "privacy", "a, ",
        "：", "\u{3000}", "・ x: !string\n", "＃＃ x\n", "[x] ", "```\n- a: b\n", "(obsolete ",
    ])
    func `a mark repeated 10,000 times is read in one go`(_ mark: String) {
        for prefix in ["## event\n\n", "- x: !string ", "- x: !string\n    - values: "] {
            let text = prefix + String(repeating: mark, count: 10_000)
            let problems = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))]).problems
            #expect(problems.count <= 202)
        }
        let type = "## T\n\n- x: [" + String(repeating: mark, count: 10_000)
        let problems = read([DefinitionFile(name: "types/a.md", bytes: Array(type.utf8))]).problems
        // One more: there are no events.
        #expect(problems.count <= 203)
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["*", "_", "`", "[ *", "a* ", "***a "])
    func `a mark repeated 200,000 times is read in one go as well`(_ mark: String) {
        let text = "## event\n\n**a " + String(repeating: mark, count: 200_000)
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(problems.count <= 1 && dictionary.categories.first?.definitions.count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `an annotation repeated 50,000 times in a paragraph is looked for once`() {
        let text = "## event\n\n" + String(repeating: "sent as: x\n", count: 50_000)
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(dictionary.categories.first?.definitions.first?.sentName == "x")
        #expect(problems.count { $0.rule == .repeatedAnnotation } == 200)
    }

    @Test(.timeLimit(.minutes(1))) func `a line that no comment may end in is searched for the end once`() {
        let comments = String(repeating: "<!-- a\n\n", count: 50_000)
        let text = "## event\n\n\(comments)\(String(repeating: "a", count: 1_000_000))-->a\n"
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(!problems.hasErrors && dictionary.categories.first?.definitions.count == 1)
    }

    @Test(.timeLimit(.minutes(1))) func `an end tag that no line consists of is looked for once`() {
        let text = "## event\n\nText.\n\n" + String(repeating: "<div>\nx</div>\n", count: 30_000)
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(dictionary.categories.first?.definitions.first?.description == "Text.")
        #expect(problems.count { $0.rule == .ignoredHTML } == 200)
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            ("- x: !string\n    - values: A**b**, A", LintRule.invalidValues), ("- A__b__: !string A", .boldName),
        ])
    func `a text of 500,000 bytes is searched in one that nearly repeats it`(_ list: String, _ rule: LintRule) {
        let text = "## event\n\nText.\n\n" + list.replacing("A", with: String(repeating: "a", count: 500_000))
        let problems = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))]).problems
        #expect(problems.map(\.rule) == [rule])
    }

    @Test(.timeLimit(.minutes(1)))
    func `types that differ only in case from 10,000 undefined ones are looked up`() {
        let numbers = 0..<10_000
        let events = "## event\n\nText.\n\n" + numbers.map { "- p\($0): t\($0)\n" }.joined()
        let types = numbers.map { "## T\($0)\n- new\n\n" }.joined()
        let problems = read([
            DefinitionFile(name: "a.md", bytes: Array(events.utf8)),
            DefinitionFile(name: "types/t.md", bytes: Array(types.utf8)),
        ]).problems.filter { $0.file == "a.md" && $0.rule == .undefinedType }
        #expect(problems.count == 200)
        #expect(problems.allSatisfy { $0.message.contains("write `T") })
    }

    @Test func `brackets nested beyond every limit are read in one go`() {
        let brackets = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let text = "## event\n\n\(brackets)\n"
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(problems.isEmpty && dictionary.categories.first?.definitions.first?.description == brackets)
    }

    @Test func `lists nested beyond every limit are read in one go`() {
        let lines = (0..<150).map { String(repeating: " ", count: 4 * $0) + "- x: !string" }
        let text = "## event\n\n" + lines.joined(separator: "\n")
        let (dictionary, problems) = read([DefinitionFile(name: "a.md", bytes: Array(text.utf8))])
        #expect(!problems.hasErrors)
        #expect(dictionary.categories.first?.definitions.first?.parameters.count == 1)
    }
}
