import Foundation
import GRDB
import Model
import Testing

@testable import Store

/// What the files still have of values that became private.
struct ErasureTests {
    private static let events = 6000

    /// Of different lengths, some with pages of their own.
    private func value(_ index: Int) -> String { "secret-\(index)-" + String(repeating: "s", count: index % 89 * 7) }

    private func fill(_ store: EventStore, _ journal: inout Journal) async throws {
        for start in stride(from: 0, to: Self.events, by: 500) {
            var batch = ResolvedBatch(entriesRead: 500)
            for index in start..<start + 500 {
                let padding = index % 700 == 0 ? String(repeating: value(index), count: 300) : ""
                let payload = Array(#"{"user":"\#(value(index))","more":"\#(padding)"}"#.utf8)
                let single = journal.single(payload, name: "tap", resolution: .resolved, bits: UInt64(index + 1))
                let offset = batch.bytes.count
                batch.bytes += single.bytes
                for var event in single.events {
                    event.entry.payload = offset..<offset + payload.count
                    batch.events.append(event)
                }
            }
            try await store.save(batch, journal: "machine")
        }
    }

    private func redact(_ ids: ClosedRange<Int64>, _ store: EventStore) async throws {
        let kind = EventKind(
            dictionary: "shop", definitionsVersion: "w", key: EventKey(category: "list", name: "tap"))
        let payload = Array(#"{"user":"<private>","more":"<private>"}"#.utf8)
        for start in stride(from: ids.lowerBound, through: ids.upperBound, by: 250) {
            let changes = (start...min(start + 249, ids.upperBound)).map {
                ResolvedAgain(id: $0, resolution: .resolved, kind: kind, payload: payload)
            }
            _ = try await store.replace(changes)
        }
    }

    /// How often the files have the beginning of a value.
    private func found(in folder: String) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for name in ["events.sqlite", "events.sqlite-wal"] {
            guard let data = FileManager.default.contents(atPath: folder + "/" + name) else { continue }
            let count = data.ranges(of: Data("secret-".utf8)).count
            if count > 0 { found[name] = count }
        }
        return found
    }

    @Test func `values that became private are in no file after a stop`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await fill(store, &journal)
            try await redact(1...Int64(Self.events), store)
            await store.close()
            #expect(try found(in: folder) == [:])
        }
    }

    @Test func `nor while it runs, once the store was tidied`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            try await fill(store, &journal)
            #expect(try found(in: folder) != [:])
            try await redact(1...Int64(Self.events), store)
            while try await store.tidy(now: newYear) {}
            #expect(try found(in: folder) == [:])
            try await store.save(journal.batch(10), journal: "machine")
            await store.close()
        }
    }

    @Test func `what retention had removed before is erased with it`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder, maximumAge: .seconds(60))
            try await fill(store, &journal)
            // All of them are old, and a new one is not.
            let late = newYear + 3_600_000_000
            try await store.save(
                journal.single(Array(#"{"user":"secret-late"}"#.utf8), name: "tap", bits: 1 << 40, time: late),
                journal: "machine")
            while try await store.tidy(now: late) {}
            let left = try await store.statistics()
            let oldest = try #require(left.oldestEventID)
            #expect(left.storedEvents < Int64(Self.events))
            try await redact(oldest...left.newestEventID, store)
            while try await store.tidy(now: late) {}
            #expect(try found(in: folder) == [:])
            await store.close()
        }
    }

    @Test func `a batch that was on its way is erased when it has arrived, or at the stop`() async throws {
        try await withStoreFolder { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            _ = try await store.openSinks([("up", .oldest)], now: newYear)
            try await fill(store, &journal)
            let body = Array(String(repeating: #"{"user":"secret-x"}"#, count: 5000).utf8)
            let batch = FrozenBatch(
                sink: "up", key: "k", body: body, contentEncoding: nil, firstEventID: 1, lastEventID: 5000,
                eventCount: 5000)
            try await store.freeze(batch)
            try await redact(1...Int64(Self.events), store)
            while try await store.tidy(now: newYear) {}
            #expect(try Array(found(in: folder).keys) == ["events.sqlite"], "it is resent as it is")
            _ = try await store.complete(batch, at: newYear)
            await store.close()
            #expect(try found(in: folder) == [:])
        }
    }
}
