import Definitions
import Foundation
import Model
import Resolve
import TestSupport

/// Loading 10,000 definitions from 1,000 files, and what so many of them cost when payloads are resolved.
struct DictionaryBench {
    private static let loads = 5
    private static let rounds = 20

    let place: BenchPlace

    /// Payloads that were resolved in how long.
    private struct Rate {
        var payloads = 0
        var time = Duration.zero

        var perSecond: Double { Double(payloads) / (time / .seconds(1)) }
    }

    func run() async throws -> [BenchResult] {
        try await place.withFolder("dictionary") { folder in
            let large = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
            let small = try GeneratedDictionary(files: 1, eventsPerFile: 10, under: folder)
            return [try load(large)] + (try resolve(large, small))
        }
    }

    private func load(_ dictionary: GeneratedDictionary) throws -> BenchResult {
        let times = try (0..<Self.loads).map { _ in try Timing.once { _ = try resolver(dictionary) } }
        return BenchResult(
            milliseconds: "10,000 definitions in 1,000 files loaded", median(times), goal: "1000 ms")
    }

    /// Ten kinds of events, which both have; then as many kinds as the large one has.
    private func resolve(_ large: GeneratedDictionary, _ small: GeneratedDictionary) throws -> [BenchResult] {
        let few = (0..<5000).map { small.payload($0 % 10) }
        let many = (0..<10_000).map(large.payload)
        var (ofLarge, ofSmall) = (try resolver(large), try resolver(small))
        let nested = (0..<10_000).map(large.nestedPayload)
        let enveloped = (0..<10_000).map(large.envelopedPayload)
        var ofEnvelopes = try resolver(large, GeneratedDictionary.envelope)
        let (texts, pairs) = ((0..<10_000).map(large.textPayload), (0..<10_000).map(large.pairsPayload))
        var ofTexts = try resolver(large, Self.usual(.jsonInText))
        var ofPairs = try resolver(large, Self.usual(.logfmt))
        var (large10, small10, large10k, nested10k, enveloped10k) = (Rate(), Rate(), Rate(), Rate(), Rate())
        var (texts10k, pairs10k) = (Rate(), Rate())
        for _ in 0..<Self.rounds {
            try add(few, &ofLarge, to: &large10)
            try add(few, &ofSmall, to: &small10)
            try add(many, &ofLarge, to: &large10k)
            try add(nested, &ofLarge, to: &nested10k)
            try add(enveloped, &ofEnvelopes, to: &enveloped10k)
            try add(texts, &ofTexts, to: &texts10k)
            try add(pairs, &ofPairs, to: &pairs10k)
        }
        return [
            BenchResult(
                "payloads/s by 10,000 definitions", thousands(large10.perSecond),
                beside: (thousands(small10.perSecond), "by 10 definitions"),
                ratio: large10.perSecond / small10.perSecond, goal: "ratio 1"),
            BenchResult("the same, all 10,000 in turn", thousands(large10k.perSecond)),
            BenchResult(
                "nested payloads/s, with 2 objects and an array of 2", thousands(nested10k.perSecond),
                beside: (thousands(large10k.perSecond), "without them"),
                ratio: nested10k.perSecond / large10k.perSecond, goal: "500 k"),
            BenchResult(
                "the same in an envelope, half of the key in an object", thousands(enveloped10k.perSecond),
                beside: (thousands(nested10k.perSecond), "without it"),
                ratio: enveloped10k.perSecond / nested10k.perSecond),
            BenchResult(
                "payloads/s within a line of text", thousands(texts10k.perSecond),
                beside: (thousands(large10k.perSecond), "without text"),
                ratio: texts10k.perSecond / large10k.perSecond),
            BenchResult(
                "payloads/s of logfmt, nine pairs each", thousands(pairs10k.perSecond),
                beside: (thousands(large10k.perSecond), "of JSON"),
                ratio: pairs10k.perSecond / large10k.perSecond),
        ]
    }

    private static func usual(_ format: PayloadFormat) -> PayloadLayout {
        var layout = PayloadLayout.usual
        layout.format = format
        return layout
    }

    private func resolver(_ dictionary: GeneratedDictionary, _ layout: PayloadLayout = .usual) throws -> Resolver {
        let options = DictionaryOptions(name: "bench", path: dictionary.folder.path, layout: layout)
        let files = try DictionaryFolder.files(in: options.path, ignore: options.ignore)
        let loaded = try DictionaryParser.parse(files, options: options)
        let protection = Protection(mode: .protect, key: Array(repeating: 7, count: 32))
        return Resolver(dictionaries: [loaded.dictionary], protection: protection)
    }

    private func add(_ payloads: [[UInt8]], _ resolver: inout Resolver, to rate: inout Rate) throws {
        let (origin, clock) = (Origin.sample(), ContinuousClock())
        var resolved = 0
        rate.time += clock.measure {
            for payload in payloads {
                let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: origin) }
                if outcome.resolution == .resolved { resolved += 1 }
            }
        }
        guard resolved == payloads.count else {
            throw BenchError("\(resolved) of \(payloads.count) payloads were resolved")
        }
        rate.payloads += resolved
    }
}
