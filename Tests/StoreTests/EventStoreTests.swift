import Foundation
import GRDB
import Model
import Testing

@testable import Store

struct EventStoreTests {
    @Test func `saved events are returned unchanged, also after the store was opened again`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for count in [1, 0, 700, 5000] { try await store.save(journal.batch(count), journal: "machine") }
            #expect(same(try await store.all(), journal.events))
            await store.close()

            let again = try await EventStore.open(folder)
            #expect(again.feed.latest == 5701)
            try await again.save(journal.batch(3000), journal: "machine")
            #expect(again.feed.latest == 8701)
            #expect(same(try await again.all(), journal.events))
            #expect(try await again.lastCursor() == journal.events.last?.cursor)
            #expect(try await again.readingState(ofJournal: "namespace:other") == nil)
            await again.close()
        }
    }

    @Test(
        arguments: [
            [], [0x00], Array("a\u{0}b".utf8), [0xFF, 0xFE], [0xC3], [0xEF, 0xBB, 0xBF, 0x7B, 0x7D],
            Array("héé😀\n".utf8),
        ] as [[UInt8]], [1, 50_000])
    func `a payload of any bytes is returned unchanged`(_ bytes: [UInt8], times: Int) async throws {
        let payload = Array([[UInt8]](repeating: bytes, count: times).joined())
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await store.save(journal.single(payload, resolution: .plain), journal: "machine")
            #expect(try await store.event(id: 1)?.payload == payload)
            await store.close()
        }
    }

    /// Returns one fault of each sort.
    private static func faults(of odd: ExactString) -> [Violation.Fault] {
        [
            .missing(type: odd, found: nil), .missing(type: odd, found: .null), .unknownParameter(found: .object),
            .type(odd, found: .array), .integer(type: odd, allowed: .min ... .max, excess: .smaller),
            .integer(type: odd, allowed: -1...0, excess: .larger),
            .integer(type: odd, allowed: 0...0, excess: .unknown), .number(type: odd, isDouble: true),
            .number(type: odd, isDouble: false), .time(type: odd), .length(maximum: 0, found: .max),
            .value(allowed: [odd, ""], hasMore: true, found: .boolean),
            .value(allowed: [], hasMore: false, found: .real),
        ]
    }

    @Test func `findings of every sort are returned, and nothing is stored where there are none`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            let odd = "a \"b\" \\ \u{1} \n é"
            for findings in [
                Findings(
                    violations: Self.faults(of: ExactString(odd)).map { Violation(odd, $0) },
                    warnings: Warning.Rule.allCases.compactMap { Warning($0, parameter: odd) }, reason: odd),
                Findings(reason: "byte 17: expected a value"), Findings(),
            ] {
                try await store.save(journal.single(findings: findings), journal: "machine")
            }
            #expect(try await store.event(id: 1)?.findings == journal.events[0].findings)
            #expect(try await store.event(id: 2)?.findings == journal.events[1].findings)
            #expect(try await store.event(id: 3)?.findings == nil)
            #expect(try await store.event(id: 4) == nil)
            #expect(try await store.event(id: .max) == nil)
            #expect(try await store.event(id: -1) == nil)
            await store.close()
        }
    }

    @Test func `names that differ only after a NUL stay different`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for name in ["tap", "tap\u{0}a", "tap\u{0}b", "tap\u{0}a", "", String(repeating: "n", count: 70_000)] {
                try await store.save(journal.single(name: name), journal: "machine")
            }
            #expect(same(try await store.all(), journal.events))
            await store.close()
            let again = try await EventStore.open(folder)
            #expect(same(try await again.all(), journal.events))
            await again.close()
        }
    }

    @Test func `a batch without events saves only its progress`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            let cursor = JournalCursor(
                seqnumID: ID128(high: 1, low: 2), seqnum: .max, bootID: ID128(high: 3, low: 4),
                monotonicMicroseconds: .max, realtimeMicroseconds: .max, xorHash: .max)
            var progress = ReadingProgress()
            progress.startMicroseconds = .max
            progress.files[Journal.file] = FilePosition(
                fileID: Journal.file, path: "/var/log/journal/m/system.journal",
                machineID: ID128(high: 0, low: 11), seqnumID: ID128(high: 0, low: 12),
                entries: .max, offset: .max, last: .init(cursor: cursor, offset: .max),
                promisedEntries: .max, promisedSeqnums: .max ... .max)
            try await store.save(ResolvedBatch(progress: progress, entriesRead: 9), journal: "directory:/x")
            #expect(try await store.lastCursor(ofJournal: "directory:/x") == cursor)
            #expect(store.feed.latest == 0)
            #expect(try await store.all().isEmpty)
            await store.close()
        }
    }

    @Test func `gaps are placed where their batch says`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            func gap(_ index: Int, _ cause: Gap.Cause) -> Gap {
                Gap(
                    cause: cause, realtimeMicroseconds: newYear, from: journal.events.last?.cursor, count: .max,
                    message: "missing", entryIndex: index)
            }
            try await store.save(ResolvedBatch(gaps: [gap(0, .deleted)]), journal: "machine")
            let first = [gap(0, .damaged), gap(2, .rateLimited), gap(3, .missing), gap(99, .dropped)]
            try await store.save(journal.batch(3, gaps: first), journal: "machine")
            try await store.save(ResolvedBatch(gaps: [gap(0, .damaged)]), journal: "machine")
            try await store.save(ResolvedBatch(gaps: [gap(5, .deleted)]), journal: "machine")
            let records = try await store.gaps(after: 0, limit: 100)
            #expect(records.map(\.afterEventID) == [0, 0, 2, 3, 3, 3, 3])
            #expect(records.map(\.id) == [1, 2, 3, 4, 5, 6, 7])
            #expect(records[1].gap.from == nil && records[5].gap.from == journal.events.last?.cursor)
            #expect(records[1].gap.count == .max && records[2].gap.cause == .rateLimited)
            #expect(try await store.gaps(after: 2, limit: 2).map(\.id) == [3, 4])
            #expect(try await store.gaps(behind: 1...2).map(\.id) == [3])
            #expect(try await store.gaps(behind: 0...0).map(\.id) == [1, 2])
            #expect(try await store.gapsEverSeen() == 7)
            await store.close()
        }
    }

    @Test func `a cancelled task saves all or nothing, and its result says which`() async throws {
        try await withStoreFolder { folder in
            let store = try await EventStore.open(folder)
            for round in 0..<20 {
                var journal = Journal(seed: UInt64(round))
                let batch = journal.batch(200)
                let before = store.feed.latest
                let task = Task { try await store.save(batch, journal: "machine") }
                if round % 2 == 0 { await Task.yield() }
                task.cancel()
                let isSaved = await task.result.isSuccess
                #expect(store.feed.latest == before + (isSaved ? 200 : 0))
            }
            #expect(try await store.all().map(\.id) == Array(1...max(1, store.feed.latest)))
            await store.close()
        }
    }

    @Test func `after the store was closed every call fails and none hangs`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            await store.close()
            let batch = journal.batch(1)
            let save = await storeError { try await store.save(batch, journal: "machine") }
            #expect(save?.kind == .failed)
            #expect(await storeError { _ = try await store.statistics() } != nil)
            #expect(!FileManager.default.fileExists(atPath: folder + "/events.sqlite-wal"))
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
