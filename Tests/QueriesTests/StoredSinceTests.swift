import API
import Foundation
import Model
import TestSupport
import Testing

@testable import Queries
@testable import Store

/// Since when all events are there that a report is about.
struct StoredSinceTests {
    private func time(_ seqnum: UInt64) -> UInt64 { Sample.start + seqnum * 1000 }

    private func storedSince(_ store: EventStore, _ predicate: Model.Predicate) async throws -> UInt64? {
        let maker = ReportMaker(
            store: store, source: EventSource(store, Budget(4 << 20), PageLimits()), dictionaries: [], rules: [],
            query: ReportQuery(), matching: predicate)
        return try await maker.scope().storedSince?.microseconds
    }

    @Test func `it is after the newest event that was removed, even if an older one is stored`() async throws {
        try await withTemporaryFolder { folder in
            let store = try await EventStore(
                StoreOptions(
                    path: folder.appending(path: "events.sqlite").path, maximumBytes: 64 << 20,
                    maximumAge: .seconds(60), whenFull: .pause),
                busyTimeout: .seconds(5), turnTime: .seconds(3600), clock: { Sample.start })
            // Two blocks. The first event of the second is older than all of the first.
            for ids in [100_000...104_095, 50_000...50_000, 300_000...304_094] as [ClosedRange<UInt64>] {
                try await store.save(Sample.batch(ids), journal: "machine")
            }
            #expect(try await storedSince(store, .sent(from: time(1))) == nil)
            while try await store.maintain(now: time(300_000)) {}
            #expect(try await store.statistics().storedEvents == 4096)
            #expect(try await store.statistics().oldestRealtimeMicroseconds == time(50_000))

            for since in [1, 60_000, 104_095] as [UInt64] {
                #expect(try await storedSince(store, .sent(from: time(since))) == time(104_095) + 1)
            }
            #expect(try await storedSince(store, .sent(from: time(104_096))) == nil)
            #expect(try await storedSince(store, .everything) == nil, "removed events are counted")
            for boot in [Sample.boot, ID128(high: 1, low: 1)] {
                let ofBoot = Model.Predicate.text(.boot, .among([ExactString(boot.description)]))
                #expect(try await storedSince(store, ofBoot) == time(104_095) + 1, "they may be of any boot")
                #expect(try await storedSince(store, ofBoot.and(.sent(from: time(104_096)))) == nil)
            }

            while try await store.maintain(now: time(900_000)) {}
            #expect(try await store.statistics().storedEvents == 0)
            #expect(try await storedSince(store, .sent(from: time(60_000))) == time(304_094) + 1)
            await store.close()
        }
    }
}
