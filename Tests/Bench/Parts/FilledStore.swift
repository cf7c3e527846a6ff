import Definitions
import Foundation
import Model
import Resolve
import Store

/// Events that a store is filled with, without a journal: a number from 0 gives each.
protocol StoredEvents: Sendable {
    func origin(_ number: Int) -> Origin
    func payload(_ number: Int) -> [UInt8]
    func level(_ number: Int) -> Level
}

/// Fills a store, as fast as that goes.
struct FilledStore {
    static let start: UInt64 = 1_767_225_600_000_000
    /// Between two events.
    static let step: UInt64 = 200_000
    private static let batch = 2000

    let path: URL
    let definitions: URL

    /// - Returns: how long the store took to save them.
    func fill<Events: StoredEvents>(with events: Events, count: Int) async throws -> Duration {
        let store = try await EventStore(
            StoreOptions(path: path.path, maximumBytes: 8 << 30, maximumAge: nil, whenFull: .pause))
        var (resolver, saving) = (try resolver(), Duration.zero)
        for first in stride(from: 0, to: count, by: Self.batch) {
            let resolved = resolver.resolve(Self.batch(first..<min(first + Self.batch, count), of: events))
            let began = ContinuousClock.now
            try await store.save(resolved, journal: "bench")
            saving += ContinuousClock.now - began
        }
        await store.close()
        return saving
    }

    /// As the settings of a daemon that is measured say.
    private func resolver() throws -> Resolver {
        let options = DictionaryOptions(
            name: "shop", path: definitions.path, subsystem: Glob("com.example.*"), category: Glob("*"))
        let files = try DictionaryFolder.files(in: options.path, ignore: options.ignore)
        let loaded = try DictionaryParser.parse(files, options: options)
        let protection = Protection(mode: .protect, key: Array(repeating: 7, count: 32))
        return Resolver(dictionaries: [loaded.dictionary], protection: protection)
    }

    private static func batch(_ numbers: Range<Int>, of events: some StoredEvents) -> EntryBatch {
        var batch = EntryBatch()
        for number in numbers {
            let payload = events.payload(number)
            batch.entries.append(entry(number, of: events, at: batch.bytes.count..<batch.bytes.count + payload.count))
            batch.bytes += payload
        }
        return batch
    }

    private static func entry(_ number: Int, of events: some StoredEvents, at payload: Range<Int>) -> Entry {
        Entry(
            origin: events.origin(number), level: events.level(number), pid: 100, seqnum: UInt64(number),
            monotonicMicroseconds: UInt64(number), realtimeMicroseconds: start + UInt64(number) * step,
            entryHash: UInt64(number), payload: payload)
    }
}
