import Model
import TestSupport

/// The decoded blob of a block.
struct DescribedBlock {
    private(set) var events: [Event] = []
    /// The size of the payloads and of the values of part 18.
    private(set) var contentBytes = 0
    private(set) var parameters: [(name: [UInt8], value: [UInt8])] = []

    private struct Part {
        var count: Int
        var bytes: [UInt8]
    }

    private var parts: [Int: Part] = [:]
    private var columns: DescribedColumns

    /// - Parameter columns: records which forms occurred.
    init(_ blob: [UInt8], _ columns: inout DescribedColumns) throws {
        self.columns = columns
        try readParts(blob)
        try readEvents()
        columns = self.columns
    }

    private mutating func readParts(_ blob: [UInt8]) throws {
        var blob = DescribedBytes(blob)
        var directory = DescribedBytes(try DescribedBytes.checked(blob.take(Int(try blob.littleEndian(4)))))
        while !directory.isAtEnd {
            let (number, count) = (try directory.count(), try directory.count())
            let size = try directory.count()
            let bytes = try unpacked(blob.take(try directory.count()), form: number % 4, size)
            guard bytes.count == size, parts[number / 4] == nil else { throw FormatError("a part") }
            parts[number / 4] = Part(count: count, bytes: bytes)
        }
        guard blob.isAtEnd else { throw FormatError("a block has more than its parts") }
    }

    private mutating func unpacked(_ bytes: [UInt8], form: Int, _ count: Int) throws -> [UInt8] {
        switch form {
        case 0:
            columns.note("bytes")
            return try DescribedBytes.checked(bytes)
        case 1:
            columns.note("zstd frame")
            return try DescribedBytes.unpackedFrame(bytes, count)
        case 2:
            columns.note("LZ4 block")
            return try DescribedBytes.unpackedBlock(DescribedBytes.checked(bytes), count)
        default: throw FormatError("a part of form \(form)")
        }
    }

    /// Reads a whole part.
    private mutating func read<Value>(
        _ number: Int, _ body: (inout DescribedColumns, Int, inout DescribedBytes) throws -> Value
    ) throws -> Value {
        guard let part = parts[number] else { throw FormatError("part \(number) is missing") }
        var input = DescribedBytes(part.bytes)
        let value = try body(&columns, part.count, &input)
        guard input.isAtEnd else { throw FormatError("part \(number) has more") }
        return value
    }

    private mutating func numbers(_ part: Int) throws -> [Int64] { try read(part) { try $0.numbers($1, &$2) } }
    private mutating func values(_ part: Int) throws -> [[UInt8]] { try read(part) { try $0.values($1, &$2) } }

    // MARK: events

    private mutating func readEvents() throws {
        let (ids, times, bootTimes) = (try numbers(0), try numbers(1), try numbers(2))
        let (seqnums, entryHashes, ordinals) = (try numbers(3), try numbers(4), try numbers(5))
        let (pidSteps, levels) = (try numbers(6), try numbers(7))
        let (senders, kinds) = (try numbers(8), try numbers(10))
        let origins = try read(9) { try $0.table(columns: 10, &$2) }.map(DescribedRows.origin)
        let kindTable = try read(11) { try $0.table(columns: 5, &$2) }.map(DescribedRows.kind)
        let findings = try values(12)
        let payloads = try payloads(kinds)
        let codes = try optional(16)
        let programTimes = try optional(17)
        let texts = parts[18] == nil ? [] : try values(18)
        var pids = [Int64](repeating: 0, count: origins.count)
        for event in ids.indices {
            let (sender, kind) = (Int(senders[event]), kindTable[Int(kinds[event])])
            pids[sender] += pidSteps[event]
            events.append(
                Event(
                    id: ids[event], origin: origins[sender], level: try DescribedRows.level(levels[event]),
                    pid: pids[sender] == -1 ? nil : Int32(pids[sender]), seqnum: UInt64(bitPattern: seqnums[event]),
                    monotonicMicroseconds: UInt64(bitPattern: times[event] &- bootTimes[event]),
                    realtimeMicroseconds: UInt64(bitPattern: times[event]),
                    entryHash: UInt64(bitPattern: entryHashes[event]), ordinal: UInt32(ordinals[event]),
                    resolution: kind.resolution, kind: kind.kind,
                    findings: try DescribedFindings.findings(findings[event]), payload: payloads[event].bytes,
                    text: try DescribedRows.text(texts.isEmpty ? [] : texts[event]),
                    program: try Self.program(codes?[event] ?? 0, time: times[event] &- (programTimes?[event] ?? 0))))
            contentBytes += payloads[event].bytes.count + (texts.isEmpty ? 0 : texts[event].count)
            if kind.resolution.hasPayload { parameters += payloads[event].parameters }
        }
    }

    private mutating func optional(_ part: Int) throws -> [Int64]? { parts[part] == nil ? nil : try numbers(part) }

    private static func program(_ code: Int64, time: Int64) throws -> ProgramFacts {
        ProgramFacts(
            level: code % 16 == 0 ? nil : try DescribedRows.level(code % 16 - 1),
            timeMicroseconds: code / 16 == 0 ? nil : UInt64(bitPattern: time))
    }

    private mutating func payloads(_ kinds: [Int64]) throws -> [DescribedPayload] {
        let shapes = try read(13) { try DescribedShapes(templates: $1, &$2) }
        let codes = try numbers(14)
        let numbers = try shapes.numbers(codes, kinds: kinds) { columns.note($0) }
        var whole = (parts[15] == nil ? [] : try values(15)).makeIterator()
        var paths: [Int: IndexingIterator<[[UInt8]]>] = [:]
        for path in shapes.names.indices.dropFirst() where parts[18 + path] != nil {
            paths[path] = try values(18 + path).makeIterator()
        }
        let payloads = try numbers.map { number in
            guard let number else { return DescribedPayload(whole: try Self.next(&whole)) }
            return try DescribedPayload(shapes.templates[number], shapes) { path in
                guard let value = paths[path]?.next() else { throw FormatError("a path has too few values") }
                return value
            }
        }
        guard whole.next() == nil, paths.keys.allSatisfy({ paths[$0]?.next() == nil }) else {
            throw FormatError("there are more values than the events have")
        }
        return payloads
    }

    private static func next(_ values: inout IndexingIterator<[[UInt8]]>) throws -> [UInt8] {
        guard let value = values.next() else { throw FormatError("there are too few payloads") }
        return value
    }
}

/// The values that rows of tables represent, both in blocks and in the tables of the newest events.
enum DescribedRows {
    static func origin(_ row: [String?]) throws -> Origin {
        guard let bootID = row[0].flatMap({ ID128($0) }), let seqnumID = row[1].flatMap({ ID128($0) }),
            let source = row[2], let keyFields = row[3], let subsystem = row[4], let category = row[5],
            let host = row[6]
        else { throw FormatError("a sender \(row)") }
        return Origin(
            [
                .subsystem: subsystem, .category: category, .host: host, .identifier: row[7], .unit: row[8],
                .processUID: row[9],
            ], bootID: bootID, seqnumID: seqnumID, source: source,
            keyFields: self.keyFields(keyFields))
    }

    private static func keyFields(_ text: String) -> KeyFields {
        let pairs = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map { String($0) } }
        return KeyFields(Dictionary(uniqueKeysWithValues: pairs.map { (ExactString($0[0]), $0[1]) }))
    }

    static func kind(_ row: [String?]) throws -> (resolution: Resolution, kind: EventKind) {
        guard let resolution = row[0].flatMap(Resolution.init(rawValue:)) else { throw FormatError("a kind \(row)") }
        let key = row[3].flatMap { category in row[4].map { EventKey(category: category, name: $0) } }
        return (resolution, EventKind(dictionary: row[1], definitionsVersion: row[2], key: key))
    }

    static func text(_ value: [UInt8]) throws -> MessageText? {
        guard !value.isEmpty else { return nil }
        var bytes = DescribedBytes(value)
        let place = try bytes.count()
        return MessageText(try bytes.rest(), payloadPlace: place == 0 ? nil : place - 1)
    }

    static func level(_ number: Int64) throws -> Level {
        guard let level = UInt8(exactly: number).flatMap(Level.init(rawValue:)) else { throw FormatError("a level") }
        return level
    }
}
