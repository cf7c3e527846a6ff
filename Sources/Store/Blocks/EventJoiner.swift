internal import Model

/// Assembles events from the columns of a block.
struct EventJoiner {
    private let ids: PackedIntegers
    private let times: PackedIntegers
    private let bootTimes: PackedIntegers
    private let seqnums: PackedIntegers
    /// They cannot be compressed, and are the largest column.
    private let entryHash: (Int) throws -> Int64
    private let ordinals: PackedIntegers
    private let levels: PackedIntegers
    private var senders: EventRows<Origin>
    private var kinds: EventRows<ResolvedKind>
    private let findings: PackedValues
    private var payloads: PayloadJoiner
    private let programCodes: PackedIntegers?
    private let programTimes: PackedIntegers?
    private let texts: PackedValues?

    private let events: [Int]
    /// The pid of each of them.
    private let pids: [Int64]
    private var known = KnownFindings()
    /// The payload of the last event. Its memory is reused unless a caller has kept the payload.
    private var payload: [UInt8] = []

    /// - Parameter events: the events to read, ascending or descending.
    init(_ content: BlockContent, _ events: [Int]) throws {
        func numbers(_ section: BlockSection) throws -> PackedIntegers {
            try content.numbers(section, reads: events.count)
        }
        (ids, times, bootTimes) = (try numbers(.ids), try numbers(.times), try numbers(.bootTimes))
        (seqnums, entryHash) = (try numbers(.seqnums), try content.entryHashes(of: events))
        (ordinals, levels) = (try numbers(.ordinals), try numbers(.levels))
        senders = .senders(try content.senderTexts())
        kinds = .kinds(try content.kindTexts())
        findings = try content.findingTexts()
        payloads = try content.payloads(of: events)
        (programCodes, programTimes, texts) = (
            try content.programCodes(), try content.programTimes(), try content.texts()
        )
        self.events = events
        pids = Self.pids(of: events, try numbers(.pids), senders)
    }

    /// - Parameter steps: how much the pid of each event differs from that of its sender's last event.
    private static func pids(of events: [Int], _ steps: PackedIntegers, _ senders: EventRows<Origin>) -> [Int64] {
        var pids = [Int64](repeating: 0, count: events.count)
        /// The pid of the last event of each sender.
        var last = [Int64](repeating: 0, count: senders.count)
        var next = steps.endOfRun(of: 0, from: 0)
        let isAscending = events.isAscending
        for index in events.indices {
            let place = isAscending ? index : events.count - 1 - index
            while next <= events[place] {
                last[senders.number(of: next)] &+= steps[next]
                next = steps.endOfRun(of: 0, from: next + 1)
            }
            pids[place] = last[senders.number(of: events[place])]
        }
        return pids
    }

    /// - Parameter place: the place of an event among those to read.
    mutating func event(at place: Int) throws -> Event {
        let event = events[place]
        payload.removeAll(keepingCapacity: true)
        payloads.append(event, to: &payload)
        let sender = senders.number(of: event)
        let (pid, kind, time) = (pids[place], try kinds.row(of: event), times[event])
        return Event(
            id: ids[event], origin: try senders.row(sender), level: try level(event),
            pid: pid == -1 ? nil : Int32(truncatingIfNeeded: pid), seqnum: UInt64(bitPattern: seqnums[event]),
            monotonicMicroseconds: UInt64(bitPattern: time &- bootTimes[event]),
            realtimeMicroseconds: UInt64(bitPattern: time), entryHash: UInt64(bitPattern: try entryHash(event)),
            ordinal: UInt32(truncatingIfNeeded: ordinals[event]), resolution: kind.resolution, kind: kind.kind,
            findings: try findings.withValue(event) { try known.findings($0) },
            payload: payload, text: try text(event), program: try program(event))
    }

    private func text(_ event: Int) throws -> MessageText? {
        try texts?.withValue(event) { try StoredText.decoded($0) }
    }

    private func level(_ event: Int) throws(BlockDamage) -> Level { try Self.level(levels[event]) }

    private static func level(_ number: Int64) throws(BlockDamage) -> Level {
        guard let level = Level(stored: number) else {
            throw BlockDamage("\(number) is not a level")
        }
        return level
    }

    private func program(_ event: Int) throws(BlockDamage) -> ProgramFacts {
        guard let code = programCodes?[event], code != ProgramCode.none else { return .none }
        var facts = ProgramFacts()
        if let level = ProgramCode.level(code) { facts.level = try Self.level(level) }
        if ProgramCode.hasTime(code), let time = programTimes?[event] {
            facts.timeMicroseconds = UInt64(bitPattern: time)
        }
        return facts
    }
}
