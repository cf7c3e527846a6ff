import Model
import Resolve
import TestSupport
import Definitions
import Testing

struct ParserFuzzTests {
    private static let pieces = [
        "# ", "## ", "##", "### ", "- ", "* ", "+ ", "1. ", " ", "  ", "    ", "\t", "\n", "\n\n", "\r\n", "> ", "```",
        "---", "===", "***", "**", "__", "_", "`", "[", "](", ")", "]", "[obsolete] ", "<!--", "-->", "<div>", "</div>",
        "\\", "&lt;", "|", "x: !string 8", "y: !bigint?", "z: Order", "name", "日本語", "：", ":", "!", "?", "8", "\u{0}",
        "\u{FEFF}",
    ]

    private func parse(_ bytes: [UInt8]) -> Result<EventDictionary, DictionaryError> {
        Result { () throws(DictionaryError) in
            try DictionaryParser.parse(
                [DefinitionFile(name: "a.md", bytes: bytes)], options: DictionaryOptions(name: "a", path: "a")
            ).dictionary
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `whatever is put together, the parser returns, and what it returns can be resolved by`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let count = Int.random(in: 0...60, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }.joined()
            switch parse(Array(text.utf8)) {
            case .success(let dictionary):
                var resolver = Resolver(dictionaries: [dictionary])
                for definition in dictionary.categories.flatMap(\.definitions) {
                    let key = definition.key
                    let payload = Array(#"{"event_category":"\#(key.category)","event_name":"\#(key.name)"}"#.utf8)
                    let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
                    let needed = dictionary.category("a")?.parameters ?? []
                    let isComplete = !(needed + definition.parameters).contains { !$0.isOptional && !$0.isObsolete }
                    #expect(outcome.resolution == (isComplete ? .resolved : .violating), "\(text)")
                }
            case .failure(let error):
                #expect(error.problems.contains { $0.severity == .error }, "\(text)")
                #expect(error.problems.allSatisfy { $0.line >= 0 && $0.file == "a.md" })
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `bytes that are no text at all are refused or read`(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if case .success(let dictionary) = parse(bytes) { #expect(dictionary.categories.count == 1) }
        }
    }

    /// Each of these makes a parser that starts over at every mark go over the text again and again.
    @Test(arguments: [
        "**a ", "`", "``a`", "[", "[a](", "<!-- a\n\n", "<!-- a --> b\n\n", "<div>\n\n", "> ", "- ", "- a\n ", "#",
        "x:", "x: ",
        "\\", "&", "_a __b ", "a\n", " ", "\n", "- - - - ", "1. ", "a: b: ", "***a __b", "|",
    ])
    func `a mark repeated 10,000 times is read in one go`(_ mark: String) {
        for prefix in ["## event\n\n", "- x: !string "] {
            let text = prefix + String(repeating: mark, count: 10_000)
            switch parse(Array(text.utf8)) {
            case .success(let dictionary): #expect(dictionary.categories.count == 1)
            case .failure(let error): #expect(!error.problems.isEmpty && error.problems.count <= 1200)
            }
        }
    }

    @Test func `lists nested beyond every limit are read in one go`() {
        let lines = (0..<150).map { String(repeating: " ", count: 4 * $0) + "- x: !string" }
        let text = "## event\n\n" + lines.joined(separator: "\n")
        guard case .success(let dictionary) = parse(Array(text.utf8)) else {
            Issue.record("nested lists are descriptions")
            return
        }
        #expect(dictionary.categories.first?.definitions.first?.parameters.count == 1)
    }
}
