import Definitions
import Model
import Testing

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// In definition files, too, texts that are equal by Unicode and differ in bytes are two texts.
struct UnicodeFormTests {
    private func parse(
        _ files: KeyValuePairs<String, String>, types: [ExactString: CustomType] = [:]
    ) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        DictionaryParser.read(
            files.map { DefinitionFile(name: $0, bytes: Array($1.utf8)) },
            options: DictionaryOptions(name: "shop", path: "definitions", types: types))
    }

    @Test func `values in two forms are two values, and a comma separates whatever follows it`() throws {
        let text = "# a\n\n## event\n\nText.\n\n- kind: !string\n    - values: \(composed),\(decomposed),\u{301}x\n"
        let (dictionary, problems) = parse(["a.md": text])
        #expect(problems.isEmpty)
        let parameter = try #require(dictionary.definition(EventKey(category: "a", name: "event"))?.parameters.first)
        #expect(parameter.allowedValues == [composed, decomposed, "\u{301}x"])
    }

    @Test func `the same name with values in another form has other values`() {
        let text = """
            # a

            ## one

            Text.

            - kind: !string
                - values: \(composed)

            ## two

            Text.

            - kind: !string
                - values: \(decomposed)

            """
        #expect(parse(["a.md": text]).problems.map(\.rule) == [.valuesConflict])
    }

    @Test func `files whose names differ in form are two files`() {
        let text = "# a\n\n## event\n\nText.\n"
        let (dictionary, problems) = parse(["\(composed).md": text, "\(decomposed).md": text])
        #expect(!problems.contains { $0.rule == .duplicateFile })
        #expect(Set(problems.filter { $0.rule == .titleMismatch }.map { Array($0.file.utf8) }).count == 2)
        #expect(Set(dictionary.categories.map { Array($0.name.utf8) }).count == 2)
    }

    @Test func `a version follows from the bytes of the types' values`() {
        let versions = [composed, decomposed].map { value in
            parse(["a.md": "# a\n\n## event\n\nText.\n"], types: ["Kind": .values([ExactString(value)])]).dictionary
                .version
        }
        #expect(versions[0] != versions[1])
    }

    @Test func `what a newer version no longer allows is compared by bytes`() {
        func dictionary(_ value: String) -> EventDictionary {
            parse(["a.md": "# a\n\n## event\n\nText.\n\n- kind: !string\n    - values: \(value)\n"]).dictionary
        }
        let changes = Evolution.check(dictionary(decomposed), against: dictionary(composed))
        #expect(changes.map(\.rule) == [.valuesRemoved])
    }
}
