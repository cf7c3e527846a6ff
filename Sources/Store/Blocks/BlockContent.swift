internal import Model

/// A source of the bytes of a block's data.
protocol BlockSource {
    var count: Int { get }
    /// - Parameter output: is replaced with the bytes.
    func read(_ range: Range<Int>, into output: inout [UInt8]) throws
}

/// The content of a packed block. A column is unpacked when it is first requested.
final class BlockContent: EventColumns {
    let count: Int
    let timeRange: ClosedRange<Int64>?
    private let makeSource: () throws -> any BlockSource
    private lazy var source = Result { try makeSource() }
    private let frames: BlockFrames
    /// What was unpacked so far.
    private(set) var columns: UnpackedColumns
    private var packed: [UInt8] = []

    struct Part: Sendable {
        /// The number of values.
        var count: Int
        var form: PartForm
        /// The unpacked size.
        var bytes: Int
        var range: Range<Int>
    }

    /// The largest directory that is accepted. It has room for many paths with long numbers.
    private static let directoryBytes = 64 << 10
    /// The largest unpacked part that is accepted. No journal entry is that large.
    private static let partBytes = 1 << 30

    /// - Parameters:
    ///   - count: the number of events in the block.
    ///   - times: the earliest and the latest time, where they are known.
    ///   - columns: columns that were unpacked earlier.
    ///   - source: is created when something has to be read from it.
    /// - Throws: `BlockDamage`.
    init(
        count: Int, times: ClosedRange<Int64>? = nil, frames: BlockFrames, columns: UnpackedColumns = UnpackedColumns(),
        _ source: @escaping () throws -> any BlockSource
    ) throws(BlockDamage) {
        guard count > 0, count <= BlockPacker.capacity else { throw BlockDamage("a block of \(count) events") }
        makeSource = source
        self.frames = frames
        self.columns = columns
        self.count = count
        timeRange = times
    }

    /// The parts, indexed by the number of their section.
    private func parts() throws -> [Part?] {
        if let known = columns.parts { return known }
        let read = try readDirectory()
        columns.parts = read
        return read
    }

    private func readDirectory() throws -> [Part?] {
        let source = try source.get()
        var directory: [UInt8] = []
        guard source.count >= 4 else { throw BlockDamage("it is truncated") }
        try source.read(0..<4, into: &directory)
        let length = directory.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard length <= min(Self.directoryBytes, source.count - 4) else { throw BlockDamage("it is truncated") }
        try source.read(4..<4 + length, into: &directory)
        return try directory.withUnsafeBytes {
            try Self.parts(ByteReader(try PlainPart.checked($0)), from: 4 + length, to: source.count)
        }
    }

    private static func parts(
        _ directory: consuming ByteReader, from start: Int, to end: Int
    ) throws(BlockDamage) -> [Part?] {
        var parts: [Part?] = []
        var place = start
        while !directory.isAtEnd {
            let number = try directory.count(atMost: BlockSection.most << 2 | 3)
            let count = try directory.count(atMost: BlockPacker.capacity)
            let bytes = try directory.count(atMost: Self.partBytes)
            let size = try directory.count(atMost: end - place)
            guard let form = PartForm(rawValue: number & 3) else { throw BlockDamage("a part of an unknown form") }
            let part = Part(count: count, form: form, bytes: bytes, range: place..<place + size)
            let section = number >> 2
            if section >= parts.count { parts += repeatElement(nil, count: section + 1 - parts.count) }
            guard parts[section] == nil else { throw BlockDamage("part \(section) occurs twice") }
            parts[section] = part
            place += size
        }
        guard place == end else { throw BlockDamage("\(end - place) bytes are left over") }
        return parts
    }

    /// Unpacks a part.
    /// - Parameter read: gets the part's bytes and its number of values.
    private func part<Value>(
        _ section: BlockSection, _ read: (inout ByteReader, Int) throws(BlockDamage) -> Value
    ) throws -> Value? {
        let parts = try parts()
        guard section.number < parts.count, let part = parts[section.number] else { return nil }
        do {
            let bytes = try part.form == .plain ? checked(part) : unpacked(part)
            return try bytes.withUnsafeBytes { content in
                var input = ByteReader(UnsafeRawBufferPointer(rebasing: content[..<part.bytes]), of: bytes)
                let value = try read(&input, part.count)
                try input.end()
                return value
            }
        } catch let damage as BlockDamage {
            throw BlockDamage("part \(section.number): \(damage)")
        }
    }

    /// Returns the bytes of a part that is packed, and padding.
    private func unpacked(_ part: Part) throws -> [UInt8] {
        try source.get().read(part.range, into: &packed)
        return try packed.withUnsafeBytes { try frames.unpack($0, part.form, count: part.bytes) }
    }

    /// Returns the bytes of a part that is not packed, and their checksum, which is as long as padding.
    private func checked(_ part: Part) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try source.get().read(part.range, into: &bytes)
        let count = try bytes.withUnsafeBytes { try PlainPart.checked($0).count }
        guard count == part.bytes else { throw BlockDamage("\(count) bytes instead of \(part.bytes)") }
        return bytes
    }

    /// Returns a number of a column, of which only a piece is read if it has eight bytes for each.
    func number(_ section: BlockSection, of event: Int) throws -> Int64 {
        let parts = try parts()
        guard columns.numbers[section] == nil, section.number < parts.count, let part = parts[section.number],
            part.form == .plain, part.count == count,
            let place = IntegerColumn.place(of: event, among: count, size: part.bytes)
        else { return try numbers(section)[event] }
        do {
            let bytes = try bytes(place, of: part)
            return bytes.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
        } catch let damage as BlockDamage {
            throw BlockDamage("part \(section.number): \(damage)")
        }
    }

    /// Returns some bytes of a part that is not packed.
    private func bytes(_ range: Range<Int>, of part: Part) throws -> [UInt8] {
        let (first, last) = (PlainPart.piece(of: range.lowerBound), PlainPart.piece(of: range.upperBound - 1))
        guard PlainPart.checksum(of: last, behind: part.bytes).upperBound <= part.range.count else {
            throw BlockDamage("it is truncated")
        }
        var (bytes, content, checksum) = ([UInt8](), [UInt8](), [UInt8]())
        for piece in first...last {
            let place = PlainPart.range(of: piece, in: part.bytes)
            try read(place, of: part, into: &content)
            try read(PlainPart.checksum(of: piece, behind: part.bytes), of: part, into: &checksum)
            try content.withUnsafeBytes { content in
                try checksum.withUnsafeBytes { try PlainPart.check(content, of: piece, $0) }
            }
            let wanted = range.clamped(to: place)
            bytes += content[wanted.lowerBound - place.lowerBound..<wanted.upperBound - place.lowerBound]
        }
        return bytes
    }

    private func read(_ range: Range<Int>, of part: Part, into output: inout [UInt8]) throws {
        let start = part.range.lowerBound
        try source.get().read(start + range.lowerBound..<start + range.upperBound, into: &output)
    }

    // MARK: columns

    private static let fewEvents = 8

    /// Returns what reads the entry hashes of some events: of few events, each by itself.
    func entryHashes(of events: [Int]) throws -> (Int) throws -> Int64 {
        guard events.count > Self.fewEvents else { return { try self.number(.entryHashes, of: $0) } }
        let all = try numbers(.entryHashes)
        return { all[$0] }
    }

    /// Returns a column with one number for each event.
    func numbers(_ section: BlockSection) throws -> PackedIntegers {
        if let known = columns.numbers[section] { return known }
        let read = try part(section) { input, count throws(BlockDamage) in
            try IntegerColumn.read(count, from: &input)
        }
        guard let read, read.count == count else { throw BlockDamage("part \(section.number) is missing") }
        columns.numbers[section] = read
        return read
    }

    /// Returns a column in the form that is the fastest for reading so many of its numbers.
    func numbers(_ section: BlockSection, reads: Int) throws -> PackedIntegers {
        let numbers = try numbers(section)
        guard numbers.isSlow(for: reads) else { return numbers }
        let prepared = numbers.prepared(for: reads)
        columns.numbers[section] = prepared
        return prepared
    }

    func ids() throws -> PackedIntegers { try numbers(.ids, reads: count) }
    func times() throws -> PackedIntegers { try numbers(.times, reads: count) }
    func levels() throws -> PackedIntegers { try numbers(.levels, reads: count) }

    /// Whether the block has a part that is missing if it has no values.
    private func has(_ section: BlockSection) throws -> Bool {
        let parts = try parts()
        return section.number < parts.count && parts[section.number] != nil
    }

    /// Returns what programs say as `ProgramCode`.
    func programCodes() throws -> PackedIntegers? { try has(.program) ? numbers(.program) : nil }

    func programLevels() throws -> PackedIntegers? {
        try programCodes().map { PackedIntegers($0.unpacked.map { ProgramCode.level($0) ?? -1 }) }
    }

    func programTimes() throws -> PackedIntegers? {
        guard let codes = try programCodes() else { return nil }
        let times = zip(try times().unpacked, try numbers(.programTimes).unpacked)
        return PackedIntegers(zip(codes.unpacked, times).map { ProgramCode.hasTime($0) ? $1.0 &- $1.1 : -1 })
    }

    func texts() throws -> PackedValues? { try has(.texts) ? values(.texts, count: count) : nil }

    func pids() throws -> PackedIntegers {
        let (steps, senders) = (try numbers(.pids), try senderTexts())
        /// The pid of the last event of each sender.
        var last = [Int64](repeating: 0, count: senders.table.count)
        return PackedIntegers(
            zip(senders.numbers.unpacked, steps.unpacked).map { sender, step in
                last[Int(sender)] &+= step
                return last[Int(sender)]
            })
    }

    func senderTexts() throws -> EventTexts { try texts(.senderTable, .senders, columns: BlockTable.senderColumns) }
    func kindTexts() throws -> EventTexts { try texts(.kindTable, .kinds, columns: BlockTable.kindColumns) }

    private func texts(_ section: BlockSection, _ column: BlockSection, columns: Int) throws -> EventTexts {
        if let known = self.columns.tables[section] { return known }
        let numbers = try numbers(column, reads: count)
        let table = try part(section) { input, _ throws(BlockDamage) in try BlockTexts(&input, columns: columns) }
        guard let table else { throw BlockDamage("part \(section.number) is missing") }
        guard numbers.isWithin(0..<Int64(table.count)) else {
            throw BlockDamage("part \(column.number): a number without a row in its table")
        }
        let texts = EventTexts(table: table, numbers: numbers)
        self.columns.tables[section] = texts
        return texts
    }

    // MARK: payloads

    func shapes() throws -> PayloadShapes {
        if let known = columns.shapes { return known }
        let (kinds, codes) = (try numbers(.kinds, reads: count), try numbers(.templates, reads: count))
        let shapes = try part(.shapes) { input, count throws(BlockDamage) in
            try PayloadShapes(&input, templates: count, codes: codes, kinds: kinds)
        }
        guard let shapes else { throw BlockDamage("part \(BlockSection.shapes.number) is missing") }
        columns.shapes = shapes
        return shapes
    }

    /// Returns the values of a path, in the order of the events that have one.
    func values(ofPath path: Int) throws -> PackedValues {
        try values(.values(ofPath: path), count: try shapes().events(ofPath: path))
    }

    /// Returns the values of a path in the form that is the fastest for reading so many of them.
    /// - Parameter reads: `nil` for all.
    func values(ofPath path: Int, reads: Int?) throws -> PackedValues {
        prepared(try values(ofPath: path), .values(ofPath: path), reads: reads)
    }

    /// Keeps values in the form that is the fastest for so many reads, and returns them.
    private func prepared(_ values: PackedValues, _ section: BlockSection, reads: Int?) -> PackedValues {
        let prepared = values.prepared(for: reads ?? values.count)
        if prepared !== values { columns.values[section] = prepared }
        return prepared
    }

    /// Returns the payloads that have no template.
    func whole() throws -> PackedValues { try values(.whole, count: try shapes().wholeCount) }

    private func values(_ section: BlockSection, count: Int) throws -> PackedValues {
        if let known = columns.values[section] { return known }
        let values = try part(section) { input, stored throws(BlockDamage) in
            guard stored == count else { throw BlockDamage("\(stored) values instead of \(count)") }
            return try PackedValues(count, from: &input)
        }
        guard let values else {
            guard count == 0 else { throw BlockDamage("part \(section.number) is missing") }
            return PackedValues()
        }
        columns.values[section] = values
        return values
    }

    func forEachPayload(of events: [Int], _ body: (Int, UnsafeRawBufferPointer) throws -> Void) throws {
        guard !events.isEmpty else { return }
        var (payloads, payload) = (try payloads(of: events), [UInt8]())
        for event in events {
            payload.removeAll(keepingCapacity: true)
            payloads.append(event, to: &payload)
            try payload.withUnsafeBytes { try body(event, $0) }
        }
    }

    func select(_ condition: ValueCondition, _ selection: inout [Int], until turn: ReadTurn?) throws {
        try condition.select(self, &selection, until: turn)
    }

    func select(having literal: Literal, _ selection: inout [Int]) throws {
        try LiteralSearch(literal: literal).select(self, &selection)
    }

    func select(having run: ByteRun, _ selection: inout [Int]) throws {
        try RunSearch(run: run).select(self, &selection)
    }

    /// Returns a joiner that assembles the payloads of these events.
    func payloads(of events: [Int]) throws -> PayloadJoiner {
        let shapes = try shapes()
        var columns = [PackedValues](repeating: PackedValues(), count: shapes.paths.count)
        for path in shapes.paths(of: events) { columns[path] = try values(ofPath: path, reads: events.count) }
        let hasWhole = events.contains { shapes.template(of: $0) == nil }
        let whole = try hasWhole ? prepared(whole(), .whole, reads: events.count) : PackedValues()
        return PayloadJoiner(shapes: shapes, columns: columns, whole: whole)
    }

    // MARK: events

    func findingTexts() throws -> PackedValues { try values(.findings, count: count) }

    func uids(of events: [Int]) throws -> [EventUID] {
        func numbers(_ section: BlockSection) throws -> PackedIntegers {
            try self.numbers(section, reads: events.count)
        }
        let (times, bootTimes) = (try numbers(.times), try numbers(.bootTimes))
        var bootIDs = EventRows(try senderTexts()) { texts, row throws(BlockDamage) in
            try BlockTable.bootID(texts.table, row)
        }
        let (entryHash, ordinals) = (try entryHashes(of: events), try numbers(.ordinals))
        return try events.map { event in
            EventUID(
                bootID: try bootIDs.row(of: event),
                monotonicMicroseconds: UInt64(bitPattern: times[event] &- bootTimes[event]),
                entryHash: UInt64(bitPattern: try entryHash(event)),
                ordinal: UInt32(truncatingIfNeeded: ordinals[event]))
        }
    }

    func places(of events: [Int]) throws -> [EntryPlace] {
        func numbers(_ section: BlockSection) throws -> PackedIntegers {
            try self.numbers(section, reads: events.count)
        }
        let (times, bootTimes, seqnums) = (try numbers(.times), try numbers(.bootTimes), try numbers(.seqnums))
        var senders = EventRows(try senderTexts()) { texts, row throws(BlockDamage) in
            (bootID: try BlockTable.bootID(texts.table, row), seqnumID: try BlockTable.seqnumID(texts.table, row))
        }
        let entryHash = try entryHashes(of: events)
        return try events.map { event in
            let sender = try senders.row(of: event)
            let cursor = JournalCursor(
                seqnumID: sender.seqnumID, seqnum: UInt64(bitPattern: seqnums[event]), bootID: sender.bootID,
                monotonicMicroseconds: UInt64(bitPattern: times[event] &- bootTimes[event]),
                realtimeMicroseconds: UInt64(bitPattern: times[event]))
            return EntryPlace(cursor: cursor, entryHash: UInt64(bitPattern: try entryHash(event)))
        }
    }

    func read(_ events: [Int], while body: (borrowing Event) throws -> Bool) throws {
        guard !events.isEmpty else { return }
        var joiner = try EventJoiner(self, events)
        for place in events.indices {
            guard try body(joiner.event(at: place)) else { return }
        }
    }
}
