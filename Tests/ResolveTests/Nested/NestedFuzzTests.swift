import Definitions
import JSON
import Model
import Resolve
import TestSupport
import Testing

/// Random types and payloads, and a simple oracle that says what is wrong with them.
struct NestedFuzzTests {
    private func resolver(_ sample: NestedSample) throws -> Resolver {
        let files = sample.files.map { DefinitionFile(name: $0.name, bytes: Array($0.text.utf8)) }
        let options = DictionaryOptions(name: "shop", path: "d", layout: sample.layout.layout)
        let dictionary = try DictionaryParser.parse(files, options: options).dictionary
        return Resolver(dictionaries: [dictionary], protection: Protection(mode: .protect, key: [1, 2, 3]))
    }

    private func faults(_ outcome: Resolver.Outcome) -> Set<String> {
        Set((outcome.findings?.violations ?? []).map { "\($0.parameter) \($0.rule.rawValue)" })
    }

    private func resolve(_ payload: [UInt8], _ resolver: inout Resolver) -> Resolver.Outcome {
        payload.withUnsafeBytes { resolver.resolve($0, from: .sample()) }
    }

    private func stored(_ outcome: Resolver.Outcome, _ payload: [UInt8]) -> Event {
        Event(
            id: 1, origin: .sample(), level: .info, pid: nil, seqnum: 1, monotonicMicroseconds: 1,
            realtimeMicroseconds: 1,
            entryHash: 1, resolution: outcome.resolution, kind: outcome.kind, findings: outcome.findings,
            payload: outcome.payload ?? payload)
    }

    @Test func `nested payloads break what the oracle says, and nothing else`() throws {
        var broken = 0
        for seed in FuzzBudget.seeds(400) {
            var sample = NestedSample(seed: seed)
            var resolver = try resolver(sample)
            for _ in 0..<20 {
                let values = sample.values()
                let expected = NestedOracle(sample, values).faults
                let value = SampleValue.object(sample.layout.payload(values))
                let outcome = resolve(Array(value.json.utf8), &resolver)
                #expect(faults(outcome) == expected, "seed \(seed): \(value.json)\n\(sample.files)")
                #expect(outcome.resolution == (expected.isEmpty ? .resolved : .violating))
                broken += expected.isEmpty ? 0 : 1
            }
        }
        #expect(broken > 0)
    }

    @Test func `private values are gone, and reprocessing finds the same as before`() throws {
        var hidden = 0
        for seed in FuzzBudget.seeds(400) {
            var sample = NestedSample(seed: seed)
            var resolver = try resolver(sample)
            for _ in 0..<20 {
                let payload = Array(sample.payload().json.utf8)
                let first = resolve(payload, &resolver)
                let event = stored(first, payload)
                hidden += first.payload == nil ? 0 : 1
                let text = String(decoding: event.payload, as: UTF8.self)
                // No other definition says that the name is private.
                let isPrivate = sample.files.contains { $0.text.contains("privacy: private") }
                #expect(!isPrivate || !text.contains("hidden"), "seed \(seed): \(text)")
                let again = resolver.reprocess(event)
                #expect(again.resolution == first.resolution, "seed \(seed): \(text)\n\(sample.files)")
                #expect(faults(again) == faults(first), "seed \(seed): \(text)\n\(sample.files)")
                #expect(again.payload == nil || again.payload == event.payload, "seed \(seed): \(text)")
            }
        }
        #expect(hidden > 0)
    }

    @Test func `damaged payloads are malformed or checked, and never stop the resolver`() throws {
        for seed in FuzzBudget.seeds(200) {
            var sample = NestedSample(seed: seed)
            var resolver = try resolver(sample)
            var mutation = JSONGenerator(seed: seed)
            for _ in 0..<20 {
                let payload = mutation.mutated(Array(sample.payload().json.utf8))
                let outcome = resolve(payload, &resolver)
                let isObject = (try? JSONScanner.members(of: payload, limits: .payload)) != nil
                #expect(outcome.resolution.hasPayload == isObject, "seed \(seed)")
                _ = resolver.reprocess(stored(outcome, payload))
            }
        }
    }
}
