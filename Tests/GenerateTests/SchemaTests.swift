import Definitions
import Foundation
import Generate
import Model
import Resolve
import TestSupport
import Testing

@Suite(
    .enabled(
        if: Program.schemaValidator.reasonToSkip == nil, "jsonschema is missing: apt-get install python3-jsonschema"))
struct SchemaTests {
    private static let combined = "events.schema.json"

    private func validate(_ lines: [(schema: String, payload: String)], _ dictionary: EventDictionary) async throws
        -> [Bool]
    {
        try await withTemporaryFolder { folder in
            try Generator.files(.jsonSchema, for: dictionary).write(to: folder)
            let script = Folders.fixtures.appending(path: "drivers/validate.py").path
            let run = try Program.run(
                Program.python.path, script, in: folder,
                input: lines.map { "\($0.schema)\t\($0.payload)\n" }.joined())
            try #require(run.status == 0 && run.lines.count == lines.count, "\(run.errors)")
            return run.lines.map { $0 == "valid" }
        }
    }

    /// The names of the samples have no other characters that files cannot have.
    private static func fileName(_ event: String) -> String {
        event.replacing("\"", with: "%22").replacing("\\", with: "%5C")
    }

    @Test(arguments: SampleDictionary.allCases)
    func `every file is a schema of the draft that it names`(sample: SampleDictionary) async throws {
        let dictionary = try sample.load()
        let paths = try Generator.files(.jsonSchema, for: dictionary).map(\.path)
        let verdicts = try await validate(paths.map { ($0, "{}") }, dictionary)
        #expect(verdicts.allSatisfy { !$0 })
    }

    /// What JSON Schema cannot say: that a number is written without a fraction and an exponent. It compares numbers by
    /// their value, so `1.0` is an integer, and equal to the allowed value 1.
    private func isDocumentedDifference(_ payload: PayloadSamples.Payload) -> Bool {
        let values = ["1.0": "1", "1e3": "1000", "-0.0": "0", "1e-400": "0"]
        guard let type = payload.changed?.type, let value = payload.value else { return false }
        var listed = payload.changed?.allowedValues
        if case .custom(_, .values(let values)?) = type { listed = values.map(\.text) }
        if value == "-0", let listed { return listed.contains("0") }
        guard let whole = values[value], type.isWhole || listed != nil else { return false }
        return listed?.contains(whole) ?? true
    }

    @Test(arguments: SampleDictionary.allCases)
    func `the schemas say of every payload what Gloss says, but for how numbers are written`(
        sample: SampleDictionary
    ) async throws {
        let dictionary = try sample.load()
        var tried: Set<String> = []
        var payloads: [PayloadSamples.Payload] = []
        var lines: [(schema: String, payload: String)] = []
        let paths = try Generator.files(.jsonSchema, for: dictionary).map(\.path)
        for category in dictionary.categories {
            for definition in category.definitions {
                let samples = PayloadSamples(definition, of: category, in: dictionary, tried: &tried)
                // Names that differ in case alone have numbers.
                let path = "\(category.name)/\(Self.fileName(definition.key.name)).schema.json"
                for payload in samples.all {
                    payloads.append(payload)
                    lines.append((paths.contains(path) ? path : Self.combined, payload.text))
                }
            }
        }
        let own = try await validate(lines, dictionary)
        let whole = try await validate(lines.map { (Self.combined, $0.payload) }, dictionary)
        var resolver = Resolver(dictionary)
        var differences = 0
        for (index, payload) in payloads.enumerated() {
            let isResolved = resolver.verdict(on: payload.text).resolution == .resolved
            let differs = isDocumentedDifference(payload)
            #expect(own[index] == (differs ? true : isResolved), "\(lines[index])")
            #expect(whole[index] == own[index], "\(lines[index])")
            #expect(!differs || !isResolved, "\(lines[index]) is no difference")
            differences += differs ? 1 : 0
        }
        #expect(differences > 0 && whole.contains(true) && whole.contains(false))
    }

    @Test func `the patterns of dates and times take what Gloss takes`() async throws {
        let file = DefinitionFile(
            name: "a.md", bytes: Array("## e\n\nText.\n\n- d: !date?\n- t: !timestamp?\n- z: !timestamptz?\n".utf8))
        let options = DictionaryOptions(name: "times", path: "times")
        let dictionary = try DictionaryParser.parse([file], options: options).dictionary
        var lines: [(schema: String, payload: String)] = []
        for text in TimeSamples().all {
            for key in ["d", "t", "z"] {
                let payload = "{\"event_category\":\"a\",\"event_name\":\"e\",\"\(key)\":\"\(text)\"}"
                lines.append(("a/e.schema.json", payload))
            }
        }
        let verdicts = try await validate(lines, dictionary)
        var resolver = Resolver(dictionary)
        for (line, verdict) in zip(lines, verdicts) {
            #expect((resolver.verdict(on: line.payload).resolution == .resolved) == verdict, "\(line.payload)")
        }
        #expect(verdicts.count { $0 } > 300 && verdicts.count { !$0 } > 300)
    }
}
