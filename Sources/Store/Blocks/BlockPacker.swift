internal import GRDB
internal import JSON
internal import Model

/// Collects the events of a block and packs them.
struct BlockPacker {
    /// The maximum number of events in a block.
    static let capacity = 4096
    /// The maximum number of payload bytes in a block. An event with a larger payload gets a block of its own.
    static let payloadCapacity = 1 << 20

    private var ids: [Int64] = []
    private var times: [Int64] = []
    private var bootTimes: [Int64] = []
    private var seqnums: [Int64] = []
    private var entryHashes: [Int64] = []
    private var ordinals: [Int64] = []
    private var pids: [Int64] = []
    private var levels: [Int64] = []
    private var senders: [Int64] = []
    private var kinds: [Int64] = []
    private var senderNumbers = Numbering<Origin>()
    private var kindNumbers = KindNumbering()
    private var senderTable = BlockTable.senders
    private var kindTable = BlockTable.kinds
    /// The hashes of the names that the block is found by.
    private var names = HashSet()
    private var lastBoot: ID128?
    /// The last pid of each sender, and the index in `sources` of the source that took its events.
    private var senderStates: [(lastPID: Int64, sourceIndex: Int)] = []
    private var sources: [SourcePart] = []
    private var findings = ValueColumn()
    // Few events have these. The columns begin with the first that has.
    private var program: [Int64] = []
    private var programTimes: [Int64] = []
    private var texts = ValueColumn()
    /// A bit for each level that filters find.
    private var effectiveLevels: UInt8 = 0
    private var payloads = PayloadSplitter()
    private(set) var payloadBytes = 0

    var count: Int { ids.count }

    init() {
        // Arrays that grow in steps would end with up to twice the capacity they need.
        for column in [
            \Self.ids, \.times, \.bootTimes, \.seqnums, \.entryHashes, \.ordinals, \.pids, \.levels, \.senders, \.kinds,
        ] {
            self[keyPath: column].reserveCapacity(Self.capacity)
        }
    }

    /// - Parameter event: has a higher id than the previous one.
    mutating func append(_ event: BlockEvent) {
        precondition(count < Self.capacity, "the block is full: pack it first")
        let (sender, kind) = (number(of: event.origin), number(of: event.kind))
        let pid = Int64(event.pid ?? -1)
        ids.append(event.id)
        times.append(Int64(bitPattern: event.realtimeMicroseconds))
        bootTimes.append(Int64(bitPattern: event.realtimeMicroseconds &- event.monotonicMicroseconds))
        seqnums.append(Int64(bitPattern: event.seqnum))
        entryHashes.append(Int64(bitPattern: event.entryHash))
        ordinals.append(Int64(event.ordinal))
        pids.append(pid - senderStates[sender].lastPID)
        senderStates[sender].lastPID = pid
        levels.append(Int64(event.level.rawValue))
        senders.append(Int64(sender))
        kinds.append(Int64(kind))
        effectiveLevels |= 1 << (event.program.level ?? event.level).rawValue
        findings.append(event.findings)
        appendRest(event)
        payloads.append(
            event.payload, isObject: event.kind.resolution.hasPayload && event.payload.count <= Self.payloadCapacity,
            kind: kind)
        payloadBytes += event.contentBytes
        sources[senderStates[sender].sourceIndex].events += 1
        sources[senderStates[sender].sourceIndex].payloadBytes += event.contentBytes
    }

    /// - Precondition: the event's id is in its column.
    @inline(__always)
    private mutating func appendRest(_ event: BlockEvent) {
        if event.program != .none || !program.isEmpty {
            let missing = count - 1 - program.count
            program += repeatElement(ProgramCode.none, count: missing)
            programTimes += repeatElement(0, count: missing)
            program.append(ProgramCode.of(event.program))
            programTimes.append(
                event.program.timeMicroseconds.map { Int64(bitPattern: event.realtimeMicroseconds &- $0) } ?? 0)
        }
        if !event.text.isEmpty || texts.count > 0 {
            for _ in texts.count..<count - 1 { texts.append(UnsafeRawBufferPointer(start: nil, count: 0)) }
            texts.append(event.text)
        }
    }

    // What has to be known about a sender or a kind is computed when it is first seen. If a sender
    // uses a new name each time, there are as many of these as events, so it must be cheap.

    @inline(__always)
    private mutating func number(of sender: Origin) -> Int {
        let number = senderNumbers.number(of: sender)
        if number == senderStates.count { add(sender) }
        return number
    }

    private mutating func add(_ sender: Origin) {
        senderTable.append(sender)
        names.insert(BlockFilters.hash(.subsystem, sender.subsystem))
        names.insert(BlockFilters.hash(.category, sender.category))
        if sender.bootID != lastBoot { names.insert(BlockFilters.hash(.boot, sender.bootID.description)) }
        lastBoot = sender.bootID
        // There are as many sources as rules in the settings.
        let source = sources.firstIndex { $0.source.isExactly(sender.source) } ?? sources.count
        if source == sources.count { sources.append(SourcePart(source: sender.source, events: 0, payloadBytes: 0)) }
        senderStates.append((0, source))
    }

    @inline(__always)
    private mutating func number(of kind: ResolvedKind) -> Int {
        let (before, number) = (kindNumbers.count, kindNumbers.number(of: kind))
        if number == before { add(kind) }
        return number
    }

    private mutating func add(_ kind: ResolvedKind) {
        kindTable.append(kind)
        if let key = kind.kind.key { names.insert(BlockFilters.hash(.event, key.description)) }
        if let version = DictionaryVersionID(of: kind.kind) {
            names.insert(BlockFilters.hash(.version, version.description))
        }
    }

    // MARK: packing

    /// - Returns: `nil` when there are no events.
    /// - Throws: an error when the ids do not ascend, as those of damaged rows.
    func packed(by frames: BlockFrames) throws -> PackedBlock? {
        guard let first = ids.first, let last = ids.last, let earliest = times.min(), let latest = times.max() else {
            return nil
        }
        guard zip(ids, ids.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw DatabaseError.damaged("the ids of events are not in order")
        }
        var values = HashSet()
        return PackedBlock(
            ids: first...last, count: count, times: earliest...latest, payloadBytes: payloadBytes,
            sources: sources.sorted { $0.source < $1.source }, levels: effectiveLevels,
            names: ValueFilter(hashes: names.hashes).bytes,
            data: data(frames, &values),
            values: ValueFilter(hashes: values.hashes).bytes)
    }

    /// - Parameter hashes: receives the hashes of the values in payloads.
    private func data(_ frames: BlockFrames, _ hashes: inout HashSet) -> [UInt8] {
        var parts = BlockParts(frames)
        let columns: [(BlockSection, [Int64])] = [
            (.ids, ids), (.times, times), (.levels, levels), (.senders, senders), (.kinds, kinds),
            (.bootTimes, bootTimes), (.seqnums, seqnums), (.ordinals, ordinals), (.pids, pids),
            (.templates, payloads.codes),
        ]
        for (section, numbers) in columns { parts.append(section, numbers) }
        if !program.isEmpty {
            parts.append(.program, program)
            parts.append(.programTimes, programTimes)
        }
        parts.append(.senderTable, count: 1) { senderTable.append(to: &$0) }
        parts.append(.kindTable, count: 1) { kindTable.append(to: &$0) }
        parts.append(.findings, count: findings.count) { findings.append(to: &$0) }
        parts.append(.shapes, count: payloads.templates.count) { output in
            payloads.paths.append(to: &output)
            payloads.templates.append(to: &output)
        }
        // Those of plain and malformed events have no parameters.
        var kindsOfWhole = zip(payloads.codes, kinds).lazy.filter { $0.0 == RecentTemplates.whole }.makeIterator()
        payloads.whole.forEach { payload in
            guard let (_, kind) = kindsOfWhole.next(), kindNumbers.values[Int(kind)].resolution.hasPayload else {
                return
            }
            PayloadParameters.forEach(in: payload) { name, value, _ in
                hashes.insert(BlockFilters.hash(parameter: BlockFilters.hash(name: Array(name)), value: value))
            }
        }
        for path in payloads.paths.all where payloads.columns[path].count > 0 {
            let name = BlockFilters.hash(name: payloads.paths.name(of: path))
            let column = payloads.columns[path]
            // Hashes include the name of the path, so that duplicates only occur within a path.
            hashes.begin()
            parts.append(.values(ofPath: path), count: column.count) { output in
                column.append(to: &output) { value in
                    hashes.insert(BlockFilters.hash(parameter: name, value: value))
                    guard value.contains(UInt8(ascii: "\\")) else { return }
                    // The hash of a string is that of its text, since queries ask for the text.
                    JSONScanner.unescape(value).withUnsafeBytes {
                        hashes.insert(BlockFilters.hash(parameter: name, value: $0))
                    }
                }
            }
        }
        if payloads.whole.count > 0 {
            parts.append(.whole, count: payloads.whole.count) { payloads.whole.append(to: &$0) }
        }
        if texts.count > 0 { parts.append(.texts, count: texts.count) { texts.append(to: &$0) } }
        // Eight bytes for each event, which do not compress. To read a few events, a piece of them is enough, and all of
        // the other columns, which are on adjacent pages without them.
        parts.append(.entryHashes, entryHashes)
        return parts.finished()
    }
}
