internal import Model

/// Puts the events of a block together again, one after the other.
struct EventJoiner {
    private let ids: PackedIntegers
    private let times: PackedIntegers
    private let bootTimes: PackedIntegers
    private let seqnums: PackedIntegers
    private let xorHashes: PackedIntegers
    private let ordinals: PackedIntegers
    private let levels: PackedIntegers
    private let senders: EventTable<Origin>
    private let kinds: EventTable<ResolvedKind>
    private let pidSteps: PackedIntegers
    private let findings: PackedValues
    private var payloads: PayloadJoiner

    /// Of each sender, that of its last event.
    private var pids: [Int64]
    private var known = KnownFindings()
    /// Of the last event: its memory is used again, unless somebody has kept it.
    private var payload: [UInt8] = []
    private var event = 0

    /// - Parameter events: those that are wanted; the others are only gone past.
    init(_ content: BlockContent, _ events: [Int]) throws {
        (ids, times, bootTimes) = (try content.ids(), try content.times(), try content.numbers(.bootTimes))
        (seqnums, xorHashes) = (try content.numbers(.seqnums), try content.numbers(.xorHashes))
        (ordinals, levels) = (try content.numbers(.ordinals), try content.levels())
        (senders, kinds) = (try content.senders(), try content.kinds())
        (pidSteps, findings) = (try content.numbers(.pids), try content.findingTexts())
        payloads = try content.payloads(of: events)
        pids = [Int64](repeating: 0, count: senders.values.count)
    }

    /// Goes past the next event.
    mutating func skip() {
        pids[Int(senders.numbers[event])] &+= pidSteps[event]
        payloads.skip()
        event += 1
    }

    mutating func next() throws -> Event {
        defer { event += 1 }
        let sender = Int(senders.numbers[event])
        pids[sender] &+= pidSteps[event]
        payload.removeAll(keepingCapacity: true)
        payloads.append(to: &payload)
        let (pid, kind, time) = (pids[sender], kinds[event], times[event])
        return Event(
            id: ids[event], origin: senders.values[sender], level: try level(),
            pid: pid == -1 ? nil : Int32(truncatingIfNeeded: pid), seqnum: UInt64(bitPattern: seqnums[event]),
            monotonicMicroseconds: UInt64(bitPattern: time &- bootTimes[event]),
            realtimeMicroseconds: UInt64(bitPattern: time), xorHash: UInt64(bitPattern: xorHashes[event]),
            ordinal: UInt32(truncatingIfNeeded: ordinals[event]), resolution: kind.resolution, kind: kind.kind,
            findings: try findings.withDistinct(findings.distinctNumber(event)) { try known.findings($0) },
            payload: payload)
    }

    private func level() throws(BlockDamage) -> Level {
        guard let level = UInt8(exactly: levels[event]).flatMap(Level.init(rawValue:)) else {
            throw BlockDamage("\(levels[event]) is no level")
        }
        return level
    }
}
