import Model
import TestSupport
import Testing

@testable import Store

private let composed = "caf\u{E9}"
private let decomposed = "cafe\u{301}"

/// Tests that texts that are equal by Unicode but differ in their bytes are different texts in the store.
struct UnicodeFormTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `events keep the Unicode form of their subsystem and name, each form with its own counter`()
        async throws
    {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let names = [composed, decomposed, composed]
            for (index, name) in names.enumerated() {
                let batch = journal.single(subsystem: "s\(name)", name: name, bits: UInt64(index + 1))
                try await store.save(batch, journal: "machine")
            }
            let found = try await store.all()
            #expect(found.map { bytes($0.origin.subsystem) } == names.map { bytes("s\($0)") })
            #expect(found.map { $0.kind.key.map { bytes($0.name) } } == names.map(bytes))
            var filter = SimpleFilter()
            filter.subsystems = ["s\(decomposed)"]
            #expect(try await store.all(filter).map(\.id) == [2])
            filter.subsystems = []
            filter.events = ["*/\(composed)"]
            #expect(try await store.all(filter).map(\.id) == [1, 3])
            let uses = try await store.eventCounts(matching: .everything)
            #expect(uses.count == 2)
            #expect(uses.first { bytes($0.key?.name ?? "") == bytes(composed) }?.count == 2)
            #expect(uses.first { bytes($0.key?.name ?? "") == bytes(decomposed) }?.count == 1)
            await store.close()
        }
    }

    @Test func `findings are counted by the Unicode form of their parameter`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for (index, parameter) in [composed, decomposed, decomposed].enumerated() {
                let findings = Findings(violations: [
                    Violation(parameter, .unknownParameter(found: .string))
                ])
                let batch = journal.single(
                    name: "event", resolution: .violating, findings: findings, time: newYear + UInt64(index))
                try await store.save(batch, journal: "machine")
            }
            for filter in [SimpleFilter(), sinceNewYear] {
                let uses = try await store.findingCounts(matching: filter.predicate)
                #expect(uses.count == 2)
                #expect(uses.first { $0.parameter.map(bytes) == bytes(composed) }?.count == 1)
                #expect(uses.first { $0.parameter.map(bytes) == bytes(decomposed) }?.count == 2)
            }
            await store.close()
        }
    }

    private var sinceNewYear: SimpleFilter {
        var filter = SimpleFilter()
        filter.sinceMicroseconds = newYear
        return filter
    }

    @Test func `parameters are found by the bytes of name and value`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for (index, member) in [(composed, "1"), (decomposed, "1"), ("who", composed), ("who", decomposed)]
                .enumerated()
            {
                let payload = bytes(#"{"\#(member.0)":"\#(member.1)"}"#)
                try await store.save(journal.single(payload, bits: UInt64(index + 1)), journal: "machine")
            }
            func ids(_ name: String, _ values: Set<ExactString>) async throws -> [Int64] {
                var filter = SimpleFilter()
                filter.parameters = [SimpleFilter.ParameterCondition(names: [ExactString(name)], values: values)]
                return try await store.all(filter).map(\.id)
            }
            #expect(try await ids(composed, ["1"]) == [1])
            #expect(try await ids(decomposed, ["1"]) == [2])
            #expect(try await ids("who", [ExactString(decomposed)]) == [4])
            #expect(try await ids("who", [ExactString(composed), ExactString(decomposed)]) == [3, 4])
            await store.close()
        }
    }

    @Test func `definitions, protected names and sinks are kept in each Unicode form`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let keys = [composed, decomposed].map { EventKey(category: "a", name: $0) }
            let dictionary = EventDictionary(
                options: DictionaryOptions(name: composed, path: ""), version: "0123456789abcdef",
                common: [
                    Parameter(name: composed, type: .string(), privacy: .private),
                    Parameter(name: decomposed, type: .string(), privacy: .hash),
                ],
                categories: [
                    DefinitionCategory(
                        name: "a", title: nil, description: "", parameters: [],
                        definitions: keys.map {
                            Definition(key: $0, description: "", isObsolete: false, parameters: [], line: 1)
                        })
                ])
            try await store.keep(dictionary, files: [], loadedMicroseconds: newYear)
            #expect(Set(try await store.watchedSince(dictionary: composed).keys) == Set(keys))
            #expect(try await store.watchedSince(dictionary: decomposed).isEmpty)
            #expect(
                try await store.protectedNames(ofDictionary: composed)
                    == [ExactString(composed): .private, ExactString(decomposed): .hash])
            let sinks = try await store.openSinks([(composed, .oldest), (decomposed, .oldest)], now: newYear)
            #expect(sinks.map { bytes($0.name) } == [composed, decomposed].map(bytes))
            await store.close()
        }
    }

    /// Every event is returned with the bytes that it was saved with, and every counter has one form.
    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `Unicode forms of names stay different in any order`(seed: UInt64) async throws {
        try await withStoreFolder { folder in
            var random = SeededGenerator(seed: seed)
            let forms = ["e\u{301}", "\u{E9}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{212A}", "K"]
            func word() -> String {
                (0..<Int.random(in: 1...2, using: &random)).map { _ in forms.randomElement(using: &random) ?? "" }
                    .joined()
            }
            var journal = Journal()
            let store = try await EventStore.open(folder)
            var counts: [[UInt8]: Int64] = [:]
            for number in 1...120 as ClosedRange<UInt64> {
                let (subsystem, name) = (word(), word())
                let batch = journal.single(subsystem: subsystem, name: name, bits: number % 3 + 1)
                try await store.save(batch, journal: "machine")
                counts[bytes(name), default: 0] += 1
            }
            let found = try await store.all()
            #expect(found.map { bytes($0.origin.subsystem) } == journal.events.map { bytes($0.origin.subsystem) })
            #expect(
                found.map { $0.kind.key.map { bytes($0.name) } }
                    == journal.events.map { $0.kind.key.map { bytes($0.name) } })
            let uses = try await store.eventCounts(matching: .everything)
            #expect(Dictionary(uses.map { (bytes($0.key?.name ?? ""), $0.count) }, uniquingKeysWith: +) == counts)
            #expect(uses.count == counts.count)
            await store.close()
        }
    }
}
