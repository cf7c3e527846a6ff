import Foundation
import GRDB
import Model
import Testing

@testable import Store

/// Changes of stored events while the disk is full: nothing is lost or duplicated, and the change continues when
/// there is room.
struct FullDiskMaintenanceTests {
    private static let disk = "size=16m"

    /// Repeats an action with a little more room each time, until it succeeds.
    /// - Parameter look: examines the store after each refusal.
    private func untilThereIsRoom(
        _ store: EventStore, _ folder: String, _ action: () async throws -> Void, look: () async throws -> Void
    ) async throws {
        // A long log would have room for the change.
        try await store.database.write { try $0.checkpointAndTruncate() }
        var ballast = try Ballast(folder)
        var refusals = 0
        while let error = await storeError(action) {
            #expect(error.kind == .full && error.hint != nil, "\(error)")
            refusals += 1
            try await look()
            try await store.checkTables()
            try ballast.shrink()
        }
        #expect(refusals > 1)
    }

    private func goesOn(_ store: EventStore, _ folder: String, _ journal: inout Journal) async throws {
        let before = try await store.all()
        try await store.checkTables()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("ballast") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        let last = journal.events.count
        try await store.save(journal.batch(5000), journal: "machine")
        let events = before + journal.events[last...]
        #expect(same(try await store.all(), events))
        await store.close()
        let again = try await EventStore.open(folder)
        #expect(same(try await again.all(), events))
        let state = try await again.database.read(.query) { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
        #expect(state == "ok")
        await again.close()
    }

    @Test(.mounts) func `the newest events do not change until they can be packed`() async throws {
        try await withSmallDisk(Self.disk) { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for _ in 0..<36 { try await store.save(journal.batch(100), journal: "machine") }
            try await untilThereIsRoom(store, folder) {
                try await store.packNewest()
            } look: {
                let events = try await store.all()
                #expect(same(events, journal.events))
                let newest = try await store.packedNewest()
                #expect(newest?.block.count == 3600)
            }
            let newest = try await store.packedNewest()
            #expect(newest == nil)
            #expect(same(try await store.all(), journal.events))
            try await goesOn(store, folder, &journal)
        }
    }

    @Test(.mounts) func `reprocessed events are changed block by block, each as a whole and once`() async throws {
        try await withSmallDisk(Self.disk) { folder in
            var journal = Journal()
            let store = try await EventStore.open(folder)
            for count in [4096, 4096, 700] { try await store.save(journal.batch(count), journal: "machine") }
            let kind = EventKind(dictionary: "shop", definitionsVersion: "2", key: EventKey(category: "a", name: "b"))
            let changes = (0..<800).map { index in
                ReprocessedEvent(
                    id: Int64(index * 11 + 1), resolution: .resolved, kind: kind,
                    payload: Array("{\"number\":\"<private>\",\"n\":\(index)}".utf8))
            }
            var states = [journal]
            for part in [1...4096, 4097...8192, 8193...Int64.max] {
                for change in changes where part.contains(change.id) { journal.replace(change) }
                states.append(journal)
            }
            var seen: Set<Int> = []
            try await untilThereIsRoom(store, folder) {
                _ = try await store.replace(changes)
            } look: {
                let events = try await store.all()
                let state = try #require(states.firstIndex { same(events, $0.events) })
                seen.insert(state)
                #expect(
                    try await store.eventCounts(matching: .everything).byGroup.mapValues(\.count)
                        == CountedByHand(events).events.mapValues(\.count))
            }
            #expect(seen.contains(0) && seen.count > 1 && !seen.contains(3), "\(seen)")
            #expect(same(try await store.all(), journal.events))
            #expect(try await store.statistics().reprocessed == 800)
            try await goesOn(store, folder, &journal)
        }
    }

    /// The reasons for which events are removed.
    enum Reason: CaseIterable { case age, ageOfSource, share }

    @Test(.mounts, arguments: Reason.allCases)
    func `retention removes expired events block by block, and no others`(_ reason: Reason) async throws {
        try await withSmallDisk(Self.disk) { folder in
            var journal = Journal(sources: ["one", "other"])
            let store = try await EventStore.open(
                folder, maximumBytes: 8 << 20, maximumAge: reason == .age ? .seconds(9000) : nil)
            let retention: SourceRetention? =
                switch reason {
                case .age: nil
                case .ageOfSource: SourceRetention(maximumAge: .seconds(9000))
                case .share: SourceRetention(share: 1)
                }
            store.use(retention.map { [SourceRule(conditions: [], name: nil, text: "one", retention: $0)] } ?? [])
            for count in [4096, 4096, 700] {
                try await store.save(journal.batch(count, payloadBytes: 100), journal: "machine")
            }
            // The events that are in no block are removed first, then one block after the other.
            let states = [(0, false), (0, true), (1, true), (2, true)].map { blocks, ofRows in
                journal.events.filter { event in
                    if reason != .age, event.origin.source == "other" { return true }
                    let isOver = reason != .share && event.realtimeMicroseconds < newYear + 8_250_000_000
                    return event.id > blocks * 4096 && !(ofRows && isOver && event.id > 8192)
                }
            }
            var seen: Set<Int> = []
            try await untilThereIsRoom(store, folder) {
                while try await store.maintain(now: newYear + 17_250_000_000) {}
            } look: {
                let events = try await store.all()
                seen.insert(try #require(states.firstIndex { same(events, $0) }))
                #expect(try await store.statistics().storedEvents == Int64(events.count))
            }
            #expect(seen.contains(0), "\(seen)")
            #expect(same(try await store.all(), states[3]))
            try await goesOn(store, folder, &journal)
        }
    }
}
