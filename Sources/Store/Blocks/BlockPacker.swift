internal import JSON
internal import Model

/// Gathers the events of a block and packs them.
struct BlockPacker {
    /// How many events a block has at most.
    static let capacity = 4096
    /// How many bytes its payloads have at most; a larger one has a block of its own.
    static let payloadCapacity = 1 << 20

    private var ids: [Int64] = []
    private var times: [Int64] = []
    private var bootTimes: [Int64] = []
    private var seqnums: [Int64] = []
    private var xorHashes: [Int64] = []
    private var ordinals: [Int64] = []
    private var pids: [Int64] = []
    private var levels: [Int64] = []
    private var senders: [Int64] = []
    private var kinds: [Int64] = []
    private var senderTable = Numbering<Origin>()
    private var kindTable = KindNumbering()
    /// The last of each sender.
    private var lastPIDs: [Int64] = []
    /// Of each sender.
    private var sizes: [(events: Int, payloadBytes: Int)] = []
    private var findings = ValueColumn()
    private var payloads = PayloadSplitter()
    private(set) var payloadBytes = 0

    var count: Int { ids.count }

    /// - Parameter event: its id is higher than that of the one before.
    mutating func append(_ event: BlockEvent) {
        precondition(count < Self.capacity, "a block that is full is packed")
        let sender = senderTable.number(of: event.origin)
        let kind = kindTable.number(of: event.kind)
        let pid = Int64(event.pid ?? -1)
        if sender == lastPIDs.count {
            lastPIDs.append(0)
            sizes.append((0, 0))
        }
        ids.append(event.id)
        times.append(Int64(bitPattern: event.realtimeMicroseconds))
        bootTimes.append(Int64(bitPattern: event.realtimeMicroseconds &- event.monotonicMicroseconds))
        seqnums.append(Int64(bitPattern: event.seqnum))
        xorHashes.append(Int64(bitPattern: event.xorHash))
        ordinals.append(Int64(event.ordinal))
        pids.append(pid - lastPIDs[sender])
        lastPIDs[sender] = pid
        levels.append(Int64(event.level.rawValue))
        senders.append(Int64(sender))
        kinds.append(Int64(kind))
        findings.append(event.findings)
        payloads.append(
            event.payload, isObject: event.kind.resolution.hasPayload && event.payload.count <= Self.payloadCapacity,
            kind: kind)
        payloadBytes += event.payload.count
        sizes[sender].events += 1
        sizes[sender].payloadBytes += event.payload.count
    }

    // MARK: packing

    /// - Returns: `nil` when there are no events.
    func packed(by frames: BlockFrames) -> PackedBlock? {
        guard let first = ids.first, let last = ids.last, let earliest = times.min(), let latest = times.max() else {
            return nil
        }
        var values = HashSet()
        return PackedBlock(
            ids: first...last, count: count, times: earliest...latest, payloadBytes: payloadBytes,
            sources: sources, levels: levels.reduce(0) { $0 | 1 << UInt8($1) }, names: names,
            data: data(frames, &values),
            values: ValueFilter(hashes: values.hashes).bytes)
    }

    private var sources: [SourcePart] {
        var sources: [SourcePart] = []
        for (sender, size) in zip(senderTable.values, sizes) {
            // There are as many as rules in the settings.
            let place = sources.firstIndex { $0.source.isExactly(sender.source) } ?? sources.count
            if place == sources.count { sources.append(SourcePart(source: sender.source, events: 0, payloadBytes: 0)) }
            sources[place].events += size.events
            sources[place].payloadBytes += size.payloadBytes
        }
        return sources.sorted { $0.source < $1.source }
    }

    private var names: [UInt8] {
        var hashes = HashSet()
        var boot: ID128?
        for sender in senderTable.values {
            hashes.insert(BlockFilters.hash(.subsystem, sender.subsystem))
            hashes.insert(BlockFilters.hash(.category, sender.category))
            if sender.bootID != boot { hashes.insert(BlockFilters.hash(.boot, sender.bootID.description)) }
            boot = sender.bootID
        }
        for kind in kindTable.values.lazy.map(\.kind) {
            if let key = kind.key { hashes.insert(BlockFilters.hash(.event, key.description)) }
            if let version = PastVersion(of: kind) { hashes.insert(BlockFilters.hash(.version, version.description)) }
        }
        return ValueFilter(hashes: hashes.hashes).bytes
    }

    /// - Parameter hashes: gets those of the values that payloads have.
    private func data(_ frames: BlockFrames, _ hashes: inout HashSet) -> [UInt8] {
        var parts = BlockParts(frames)
        let columns: [(BlockSection, [Int64])] = [
            (.ids, ids), (.times, times), (.levels, levels), (.senders, senders), (.kinds, kinds),
            (.bootTimes, bootTimes), (.seqnums, seqnums), (.xorHashes, xorHashes), (.ordinals, ordinals),
            (.pids, pids), (.templates, payloads.codes),
        ]
        for (section, numbers) in columns {
            parts.append(section, count: numbers.count) { IntegerColumn.append(numbers, to: &$0) }
        }
        parts.append(.senderTable, count: 1) { BlockTable.append(senderTable.values, to: &$0) }
        parts.append(.kindTable, count: 1) { BlockTable.append(kindTable.values, to: &$0) }
        parts.append(.findings, count: findings.count) { findings.append(to: &$0) }
        parts.append(.shapes, count: payloads.templates.count) { output in
            payloads.paths.append(to: &output)
            payloads.templates.append(to: &output)
        }
        payloads.whole.forEach { payload in
            PayloadParameters.forEach(in: payload) { name, value in
                hashes.insert(BlockFilters.hash(parameter: BlockFilters.hash(name: name), value: value))
            }
        }
        if payloads.whole.count > 0 {
            parts.append(.whole, count: payloads.whole.count) { payloads.whole.append(to: &$0) }
        }
        for path in 1..<max(payloads.paths.count, 1) where payloads.columns[path].count > 0 {
            let name = BlockFilters.hash(name: payloads.paths.name(of: path))
            let column = payloads.columns[path]
            // No two paths have a hash in common.
            hashes.begin()
            parts.append(.values(ofPath: path), count: column.count) { output in
                column.append(to: &output) { value in
                    hashes.insert(BlockFilters.hash(parameter: name, value: value))
                    guard value.contains(UInt8(ascii: "\\")) else { return }
                    // Of a string it is the text that is looked for.
                    JSONScanner.unescape(value).withUnsafeBytes {
                        hashes.insert(BlockFilters.hash(parameter: name, value: $0))
                    }
                }
            }
        }
        return parts.finished()
    }
}
