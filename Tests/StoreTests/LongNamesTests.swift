import Model
import TestSupport
import Testing

@testable import Store

/// Tests with senders that invent every name that is counted, each as long as is permitted.
struct LongNamesTests {
    private static let longest = 500

    private func batch(_ count: Int, _ journal: inout Journal, _ names: inout SeededGenerator) -> ResolvedBatch {
        func name() -> String { String(decoding: names.letters(Self.longest), as: UTF8.self) }
        var batch = journal.batch(count)
        for place in batch.events.indices {
            let origin = batch.events[place].entry.origin
            batch.events[place].entry.origin = Origin(
                [.subsystem: name(), .category: name(), .host: origin[.host]], bootID: origin.bootID,
                seqnumID: origin.seqnumID, source: origin.source)
            // Every second event violates a definition, from a new sender.
            let isDefined = place % 2 == 0
            batch.events[place].resolution = isDefined ? .violating : .undefined
            batch.events[place].findings = Findings(
                violations: (0..<4).map { _ in Violation(String(name().prefix(250)), .unknownParameter(found: .string))
                })
            guard !isDefined else { continue }
            batch.events[place].kind = EventKind(
                dictionary: "shop", definitionsVersion: nil, key: EventKey(category: name(), name: name()))
        }
        batch.gaps = (0..<20).map { entry in
            Gap(cause: .damaged, realtimeMicroseconds: newYear, message: "a file is damaged", entryIndex: entry)
        }
        return batch
    }

    @Test(arguments: [2, 8, 32])
    func `leave room for events, whatever else the store has to keep`(mebibytes: Int64) async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var names = SeededGenerator(seed: 5)
            let store = try await EventStore.open(folder, maximumBytes: mebibytes << 20, whenFull: .dropOldest)
            _ = try await store.openSinks((1...4).map { ("sink \($0)", .now) }, now: newYear)
            var saved: Int64 = 0
            for _ in 0..<Int(8 * mebibytes) {
                var rest = Optional(batch(100, &journal, &names))
                while let batch = rest {
                    let part = try await store.save(batch, journal: "machine")
                    saved += part.counts.stored
                    rest = part.rest
                }
                while try await store.maintain(now: newYear) {}
            }
            #expect(saved == 800 * mebibytes, "nothing of a batch is left out")
            let statistics = try await store.statistics()
            #expect(statistics.seen.values.reduce(0, +) == saved)
            let stored = try await store.all()
            let newest = journal.events.suffix(stored.count)
            #expect(stored.count >= 5 * mebibytes, "\(stored.count) of them are stored")
            let isSame = zip(stored, newest).allSatisfy { $0.seqnum == $1.seqnum && $0.payload == $1.payload }
            #expect(isSame)
            await store.close()
        }
    }

    @Test func `are counted by name while there is room, and together afterwards`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            var names = SeededGenerator(seed: 6)
            let store = try await EventStore.open(folder, maximumBytes: 8 << 20, whenFull: .dropOldest)
            for _ in 0..<20 {
                var rest = Optional(batch(100, &journal, &names))
                while let batch = rest { rest = try await store.save(batch, journal: "machine").rest }
            }
            let limit = try SizeLimit(8 << 20)
            let bytes = try await store.change { _, state in
                (state.counters.events.bytes, state.counters.findings.bytes)
            }
            #expect(bytes.0 > limit.countedBytes && bytes.0 <= 2 * limit.countedBytes + 16_384)
            #expect(bytes.1 > limit.countedBytes / 2 && bytes.1 <= limit.countedBytes + 16_384)
            await store.close()
        }
    }
}
