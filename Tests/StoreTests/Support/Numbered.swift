import Model
import TestSupport

/// Events of one boot that are identified by a number, a second apart.
struct Numbered {
    static let machine = ID128(high: 0x3A, low: 0xC)
    static let boot = ID128(high: 0xB0, low: 0x07)
    static let ofMachine = BootOfMachine(machineID: machine, bootID: boot)

    private static let origin = Origin(
        [.subsystem: "com.example.shop", .host: "web1"], bootID: boot, seqnumID: ID128(high: 5, low: 1), source: "match"
    )
    private static let kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)

    static func entry(_ number: UInt64, ordinal: UInt32 = 0, mayBeKnown: Bool = false) -> Entry {
        Entry(
            origin: origin, level: .info, pid: nil, seqnum: number, monotonicMicroseconds: number * 1_000_000,
            realtimeMicroseconds: newYear + number * 1_000_000, entryHash: number &* 0x9E37_79B9_7F4A_7C15,
            ordinal: ordinal, mayBeKnown: mayBeKnown, payload: 0..<2)
    }

    static func batch(_ entries: [Entry], gaps: [Gap] = [], progress: ReadingProgress = .init()) -> ResolvedBatch {
        ResolvedBatch(
            bytes: Array("{}".utf8),
            events: entries.map { ResolvedEvent(entry: $0, resolution: .unkeyed, kind: kind) }, gaps: gaps,
            progress: progress, entriesRead: entries.count)
    }

    static func batch(
        _ numbers: some Sequence<UInt64>, mayBeKnown: Bool = false, gaps: [Gap] = [],
        progress: ReadingProgress = .init()
    ) -> ResolvedBatch {
        batch(numbers.map { entry($0, mayBeKnown: mayBeKnown) }, gaps: gaps, progress: progress)
    }

    /// Returns a gap of missing numbers.
    static func hole(_ numbers: ClosedRange<UInt64>, count: UInt64? = nil, message: String = "missing") -> Gap {
        Gap(
            cause: .missing, realtimeMicroseconds: newYear, from: entry(1).cursor, to: entry(2).cursor,
            count: count ?? numbers.upperBound - numbers.lowerBound + 1, certainty: .atMost, numbers: numbers,
            message: message)
    }

    static func progress(holes: [Gap], of boot: BootOfMachine = ofMachine) -> ReadingProgress {
        var progress = ReadingProgress()
        progress.holes[boot] = holes
        return progress
    }
}
