import Model
import Definitions
import Testing

/// How a file may be written down without meaning something else.
struct SourceFormTests {
    static let text = "# a\n\nAbout.\n\n## event\n\n- x: !string? 8\n    - one\n    - two\n- y: !bigint\n"

    private func parse(_ bytes: [UInt8]) -> String {
        do throws(DictionaryError) {
            let options = DictionaryOptions(name: "shop", path: "definitions")
            let parsed = try DictionaryParser.parse([DefinitionFile(name: "a.md", bytes: bytes)], options: options)
            return TableText.text(of: parsed.dictionary, warnings: parsed.warnings)
        } catch {
            return TableText.text(of: error.problems)
        }
    }

    @Test(arguments: [
        text.replacing("\n", with: "\r\n"), text.replacing("\n", with: "\r"), "\u{FEFF}" + text,
        text.replacing("    - ", with: "\t- "), text.replacing("\n\n", with: "\n   \n"), String(text.dropLast()),
        text + "\n\n\n",
    ])
    func `line breaks, a byte order mark, tabs and blank lines change nothing`(_ text: String) {
        #expect(parse(Array(text.utf8)) == parse(Array(Self.text.utf8)))
    }

    @Test func `a file that is not UTF-8 is an error with its line`() {
        #expect(
            parse(Array("# a\n\n## event\n\nText ".utf8) + [0xE3, 0x81] + Array("\n\n- x: !string\n".utf8))
                == "a.md:5:1: error [not-utf8]: this line is not UTF-8: save the file as UTF-8\n")
    }

    @Test func `UTF-16 is an error that says so`() {
        let utf16 = Self.text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(parse([0xFF, 0xFE] + utf16).contains("error [not-utf8]: a zero byte, as in UTF-16"))
    }

    @Test func `a file beyond the limit is an error and is not parsed`() {
        let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 5 << 20)
        let message = "is larger than 4 MiB: split the category"
        #expect(parse(bytes) == "a.md:1:1: error [too-large]: \(message)\n")
    }

    @Test(arguments: ["", "\u{FEFF}", "\n\n", "# a\n"])
    func `a file without events is an empty category, with a warning`(_ text: String) {
        let parsed = parse(Array(text.utf8)).split(separator: "\n")
        #expect(parsed.count == 2 && parsed[0].hasPrefix("category a"))
        #expect(parsed[1].hasPrefix("a.md:1:1: warning [empty-category]: no event is defined here"))
    }

    /// With time that grows as the square, it would take minutes.
    @Test(.timeLimit(.minutes(1))) func `a list of 100,000 values is read in one go`() {
        let values = (0..<100_000).map { "v\($0)" }.joined(separator: ", ")
        let text = "# a\n\nA.\n\n## e\n\nText.\n\n- x: !string\n    - values: \(values)"
        #expect(!parse(Array(text.utf8)).contains("error"))
        #expect(parse(Array("\(text), a__b__c\n".utf8)).contains("Markdown reads a value here as `abc`"))
    }

    @Test(.timeLimit(.minutes(1))) func `a list of 50,000 values is compared with 10,000 others of its parameter`() {
        let values = (0..<50_000).map { "v\($0)" }.joined(separator: ", ")
        let events = (0..<10_000).map { number in
            "## e\(number)\n\nText.\n\n- x: !string\n    - values: \(number == 0 ? values : "a")\n\n"
        }
        let lines = parse(Array(events.joined().utf8)).split(separator: "\n")
        #expect(lines.count { $0.contains("[values-conflict]: `x` has other values at a.md:5") } == 200)
    }

    @Test(.timeLimit(.minutes(1))) func `an event that goes on under 50,000 headings is read in one go`() {
        let event = "## e\n\(String(repeating: "a", count: 70))\n\n"
        let (dictionary, problems) = DictionaryParser.read(
            [DefinitionFile(name: "a.md", bytes: Array(String(repeating: event, count: 50_000).utf8))],
            options: DictionaryOptions(name: "shop", path: "definitions"))
        let description = dictionary.categories.first?.definitions.first?.description
        #expect(description?.utf8.count == 50_000 * 70 + 49_999 * 2)
        #expect(problems.count { $0.rule == .duplicateEvent } == 200)
    }

    @Test func `a file of nothing but mistakes gives a bounded number of problems`() {
        let text = "## event\n\n" + String(repeating: "- mistake\n", count: 10_000)
        #expect(parse(Array(text.utf8)).split(separator: "\n").count == 201)
    }

    @Test func `the limit of a file is one for all rules, and says that there are more only when there are`() {
        let event = { (name: String) in "## \(name)\n\nText.\n\n- id: !bigint\n\n" }
        let reserved = (0..<400).map { event("event_\($0)") }.joined()
        for warnings in ["", String(repeating: "##\n\n", count: 150), String(repeating: "##\n\n", count: 400)] {
            let lines = parse(Array((warnings + reserved).utf8)).split(separator: "\n")
            #expect(lines.count <= 202 && lines.count >= 201)
            #expect(lines.count { $0.hasPrefix("a.md:1:1: warning [too-many-problems]") } == 1)
            #expect(lines.contains { $0.contains("error [reserved-name]") })
        }
        let exact = parse(Array((0..<200).map { event("event_\($0)") }.joined().utf8)).split(separator: "\n")
        #expect(exact.count == 200 && exact.allSatisfy { $0.contains("[reserved-name]") })
    }

    @Test func `an error counts after any number of warnings`() {
        let text = String(repeating: "##\n", count: 10_000) + "## [Obsolete] a\n"
        #expect(parse(Array(text.utf8)).contains("error"))
    }
}
