import Definitions
import Foundation
import Model
import Resolve
import TestSupport

/// Loading 10,000 definitions from 1,000 files, and what so many of them cost when payloads are resolved.
struct DictionaryBench {
    let work: URL

    func run() throws -> [BenchResult] {
        let folder = work.appending(path: "dictionary-\(getpid())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let large = try GeneratedDictionary(files: 1000, eventsPerFile: 10, under: folder)
        let small = try GeneratedDictionary(files: 1, eventsPerFile: 10, under: folder)
        var loads: [Double] = []
        for _ in 0..<5 {
            loads.append(try ContinuousClock().measure { _ = try resolver(large) } / .milliseconds(1))
        }
        // Ten kinds of events, which both have; then as many kinds as the large one has.
        let few = (0..<5000).map { small.payload($0 % 10) }
        let many = (0..<10_000).map(large.payload)
        var ofLarge = try resolver(large)
        var ofSmall = try resolver(small)
        var (large10, small10, large10k) = (Duration.zero, Duration.zero, Duration.zero)
        for _ in 0..<20 {
            large10 += try time(few, &ofLarge)
            small10 += try time(few, &ofSmall)
            large10k += try time(many, &ofLarge)
        }
        let (ours, theirs) = (100_000 / (large10 / .seconds(1)), 100_000 / (small10 / .seconds(1)))
        return [
            BenchResult(
                what: "10,000 definitions in 1,000 files loaded, ms", ours: rounded(median(loads)), other: "",
                otherName: "", ratio: nil, target: "1000"),
            BenchResult(
                what: "payloads/s by 10,000 definitions", ours: thousands(ours), other: thousands(theirs),
                otherName: "by 10 definitions", ratio: ours / theirs, target: "1"),
            BenchResult(
                what: "the same, all 10,000 in turn", ours: thousands(200_000 / (large10k / .seconds(1))), other: "",
                otherName: "", ratio: nil, target: ""),
        ]
    }

    private func resolver(_ dictionary: GeneratedDictionary) throws -> Resolver {
        let loaded = try DictionaryFolder.load(DictionaryOptions(name: "bench", path: dictionary.folder.path))
        let protection = Protection(mode: .protect, key: Array(repeating: 7, count: 32))
        return Resolver(dictionaries: [loaded.dictionary], protection: protection)
    }

    private func time(_ payloads: [[UInt8]], _ resolver: inout Resolver) throws -> Duration {
        var resolved = 0
        let origin = Origin.sample()
        let time = ContinuousClock().measure {
            for payload in payloads {
                let outcome = payload.withUnsafeBytes { resolver.resolve($0, from: origin) }
                if outcome.resolution == .resolved { resolved += 1 }
            }
        }
        guard resolved == payloads.count else {
            throw BenchError("\(resolved) of \(payloads.count) payloads were resolved")
        }
        return time
    }
}
