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
        let listed = payload.changed?.listedValues
        if value == "-0", let listed { return listed.contains("0") }
        guard let whole = values[value], type.isWhole || listed != nil else { return false }
        return listed?.contains(whole) ?? true
    }

    /// Payloads for every event, with the path of its own schema.
    private func samples(
        _ dictionary: EventDictionary, _ payloads: (PayloadSamples) -> [PayloadSamples.Payload]
    ) throws -> [(schema: String, payload: PayloadSamples.Payload, fields: KeyFields)] {
        var tried: Set<String> = []
        let paths = Set(try Generator.files(.jsonSchema, for: dictionary).map(\.path))
        return dictionary.categories.flatMap { category in
            category.definitions.flatMap { definition in
                let samples = PayloadSamples(definition, of: category, in: dictionary, tried: &tried)
                // Names that differ in case alone have numbers.
                let path = "\(category.name)/\(Self.fileName(definition.key.name)).schema.json"
                return payloads(samples).map { (paths.contains(path) ? path : Self.combined, $0, samples.fields) }
            }
        }
    }

    @Test(arguments: SampleDictionary.allCases)
    func `the schemas say of every payload what Gloss says, but for how numbers are written`(
        sample: SampleDictionary
    ) async throws {
        let dictionary = try sample.load()
        let samples = try samples(dictionary, \.all)
        let own = try await validate(samples.map { ($0.schema, $0.payload.text) }, dictionary)
        let whole = try await validate(samples.map { (Self.combined, $0.payload.text) }, dictionary)
        var resolver = Resolver(dictionary)
        var differences = 0
        for (index, (_, payload, fields)) in samples.enumerated() {
            let isResolved = resolver.verdict(on: payload.text, fields).resolution == .resolved
            let differs = isDocumentedDifference(payload)
            #expect(own[index] == (differs ? true : isResolved), "\(samples[index])")
            // Without a key, it may be another event's payload.
            #expect(whole[index] == own[index] || (sample == .noKey && whole[index]), "\(samples[index])")
            #expect(!differs || !isResolved, "\(samples[index]) is no difference")
            differences += differs ? 1 : 0
        }
        #expect(differences > 0 && whole.contains(true) && whole.contains(false))
    }

    @Test(arguments: [SampleDictionary.nested, .nasty, .envelope, .nestedKey, .deepEnvelope])
    func `the schemas say of random payloads what Gloss says`(sample: SampleDictionary) async throws {
        let dictionary = try sample.load()
        var generator = SeededGenerator(seed: 11)
        let samples = try samples(dictionary) { event in (0..<150).map { _ in event.random(using: &generator) } }
        let verdicts = try await validate(samples.map { ($0.schema, $0.payload.text) }, dictionary)
        var resolver = Resolver(dictionary)
        for (verdict, (schema, payload, fields)) in zip(verdicts, samples) {
            let isResolved = resolver.verdict(on: payload.text, fields).resolution == .resolved
            #expect(verdict == isResolved, "\(schema) \(payload.text)")
        }
        #expect(verdicts.count { $0 } > 50 && verdicts.count { !$0 } > 50)
    }

    private static let layoutTables =
        ["18-envelope", "19-nested-key", "20-journal-key", "21-deep-envelope"].map { "Resolve/\($0)" }
        + ["key-in-object", "key-in-parameter"].map { "Generate/\($0)" }

    @Test(arguments: layoutTables)
    func `wherever payloads have their parts, the schemas say what Gloss says`(name: String) async throws {
        let path = "Tests/\(name.replacing("/", with: "Tests/Fixtures/payloads/")).txt"
        let text = try String(contentsOf: Folders.project.appending(path: path), encoding: .utf8)
        let table = TableFile(name: name, text: text)
        let dictionary = try DictionaryParser.parse(table.definitionFiles, options: table.options).dictionary
        let definitions = dictionary.categories.flatMap(\.definitions)
        let paths = definitions.map { "\($0.key.category)/\($0.key.name).schema.json" }
        var lines: [(schema: String, payload: String)] = []
        for part in table.parts where part.name.hasPrefix("payload") {
            lines += ([Self.combined] + paths).map { ($0, part.text.filter { $0 != "\n" }) }
        }
        let verdicts = try await validate(lines, dictionary)
        var resolver = Resolver(dictionary)
        for (start, line) in lines.enumerated() where line.schema == Self.combined {
            var resolved: [Bool] = []
            for (index, definition) in definitions.enumerated() {
                let outcome = resolver.verdict(on: line.payload, dictionary.keyFields(of: definition))
                resolved.append(outcome.resolution == .resolved && outcome.kind.key == definition.key)
                #expect(verdicts[start + 1 + index] == resolved[index], "\(paths[index]) \(line.payload)")
            }
            #expect(verdicts[start] == resolved.contains(true), "\(line.payload)")
        }
        #expect(verdicts.contains(true) && verdicts.contains(false))
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
