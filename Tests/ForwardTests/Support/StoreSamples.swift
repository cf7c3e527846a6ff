import Model
import TestSupport
@testable import Store

extension EventStore {
    /// A store in a folder; the same folder opens the same store again.
    static func sample(in folder: TemporaryFolder, maximumBytes: Int64 = 64 << 20) async throws -> EventStore {
        try await EventStore(
            StoreOptions(
                path: folder.path("events.sqlite"), maximumBytes: maximumBytes, maximumAge: nil, whenFull: .pause))
    }

    /// Saves events whose payloads say `{"n":NUMBER,…}`.
    func saveSamples(_ numbers: ClosedRange<UInt64>, payloadBytes: Int = 0) async throws {
        let origin = Origin(
            [.subsystem: "com.example.shop", .category: "ActivityLog", .host: "web1"], bootID: ID128(high: 1, low: 2),
            seqnumID: ID128(high: 3, low: 4), source: "test")
        let filler = String(repeating: "x", count: payloadBytes)
        var batch = ResolvedBatch(entriesRead: numbers.count)
        for number in numbers {
            let start = batch.bytes.count
            batch.bytes += Array(#"{"n":\#(number),"filler":"\#(filler)"}"#.utf8)
            let entry = Entry(
                origin: origin, level: .notice, pid: nil, seqnum: number, monotonicMicroseconds: number,
                realtimeMicroseconds: 1_795_222_800_000_000 + number, entryHash: number,
                payload: start..<batch.bytes.count)
            batch.events.append(
                ResolvedEvent(
                    entry: entry, resolution: .unkeyed,
                    kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil)))
        }
        try await save(batch, journal: "test")
    }

    func sinkRecord(_ start: StartPoint = .oldest) async throws -> SinkRecord {
        let records = try await openSinks([(name: "upstream", start: start)], now: 1_795_222_900_000_000)
        guard let record = records.first else { throw StoreError(kind: .failed, description: "no record") }
        return record
    }
}
