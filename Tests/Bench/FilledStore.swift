import Definitions
import Foundation
import Model
import Resolve
import Store

/// A store as a busy machine fills it in some days: 200 events of 10,000 definitions, sent by 40 programs, each event by
/// four of them, over 5 boots; of twenty events two violate their definition and one is not defined.
struct FilledStore {
    let events: Int
    /// How long the store took to save them.
    private(set) var saving: Duration = .zero

    private static let undefinedNames = 1000
    private static let batch = 2000
    private static let start: UInt64 = 1_767_225_600_000_000
    /// Between two events.
    private static let step: UInt64 = 200_000

    /// Microseconds since 1970 at which the last tenth of the events begins.
    var lastTenth: UInt64 { Self.start + UInt64(events) / 10 * 9 * Self.step }

    /// Fills the store at `path`.
    init(events: Int, dictionary: GeneratedDictionary, path: String) async throws {
        self.events = events
        let options = DictionaryOptions(
            name: "shop", path: dictionary.folder.path, subsystem: Glob("com.example.*"), category: Glob("ActivityLog"))
        let loaded = try DictionaryFolder.load(options)
        let protection = Protection(mode: .protect, key: Array(repeating: 7, count: 32))
        var resolver = Resolver(dictionaries: [loaded.dictionary], protection: protection)
        let store = try await EventStore(
            StoreOptions(path: path, maximumBytes: 8 << 30, maximumAge: nil, whenFull: .pause))
        let payloads = (0..<20 * Self.undefinedNames).map { Self.payload($0, dictionary) }
        let origins = (0..<5 * 40).map(Self.origin)
        for first in stride(from: 0, to: events, by: Self.batch) {
            let numbers = first..<min(first + Self.batch, events)
            let resolved = resolver.resolve(Self.batch(numbers, of: events, payloads, origins))
            let clock = ContinuousClock()
            let began = clock.now
            try await store.save(resolved, journal: "bench")
            saving += clock.now - began
        }
        await store.close()
    }

    private static func batch(
        _ numbers: Range<Int>, of events: Int, _ payloads: [[UInt8]], _ origins: [Origin]
    ) -> EntryBatch {
        var batch = EntryBatch()
        for number in numbers {
            // Some steps that share no factor with what they go through mix what comes.
            let kind = number &* 7919 % payloads.count
            let program = kind / 20 * 4 + number % 4
            let (payload, origin) = (payloads[kind], origins[number * 5 / events * 40 + program % 40])
            batch.entries.append(
                Entry(
                    origin: origin, level: number % 7 == 0 ? .warning : .notice, pid: 100, seqnum: UInt64(number),
                    monotonicMicroseconds: UInt64(number), realtimeMicroseconds: start + UInt64(number) * step,
                    xorHash: UInt64(number), payload: batch.bytes.count..<batch.bytes.count + payload.count))
            batch.bytes += payload
        }
        return batch
    }

    private static func payload(_ number: Int, _ dictionary: GeneratedDictionary) -> [UInt8] {
        let good = String(decoding: dictionary.payload(number / 20 % 200), as: UTF8.self)
        let text =
            switch number % 20 {
            case 3: good.replacing("\"position\":3,", with: "")
            case 9: good.replacing("\"position\":3", with: "\"position\":\"third\",\"page\":1")
            case 15:
                """
                {"event_category":"category_\(number / 20)","event_name":"tap_buton_\(number / 20 % 7)","user_id":1234567890}
                """
            default: good
            }
        return Array(text.utf8)
    }

    private static func origin(_ number: Int) -> Origin {
        let (boot, program) = (number / 40, number % 40)
        return Origin(
            subsystem: "com.example.shop", category: "ActivityLog", host: "web1",
            bootID: ID128(high: UInt64(boot + 1), low: 2), seqnumID: ID128(high: 3, low: 4),
            identifier: "program\(program)", unit: "program\(program).service", processUID: 1000, source: "bench")
    }
}
