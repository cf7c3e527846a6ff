/// Reads fields of entries from their objects: name, `=`, value. It decompresses a field and verifies its hash,
/// whatever its size, in memory that it reuses.
struct FieldReader: ~Copyable {
    enum Failure: Error {
        /// The field is not where the entry refers to, cannot be decompressed, or does not match the hash that was
        /// written with it. The rest of the file may be intact.
        case damaged
        /// The file cannot be read.
        case file(FormatError)
    }

    /// The length of the longest name, with its `=`, that journald accepts.
    static let longestName = 65

    private let unpacker = Decompressor()
    /// The beginning of a field that is compressed or too large for a window.
    private var beginning: [UInt8] = []

    init() {}

    /// - Parameters:
    ///   - offset: the field's offset in the entry's reference.
    ///   - end: the end of the file's objects.
    ///   - limit: the most bytes of a field that are passed to `body`; the hash is verified over all of them.
    ///   - isWanted: receives the beginning of the field with its name, before the rest is read.
    ///   - body: receives the field, and whether it is longer than `limit`.
    /// - Returns: `nil` when the field is not wanted.
    @inline(__always)
    mutating func read<Value>(
        _ source: borrowing some ByteSource, _ window: inout FileWindow, _ header: FileHeader, at offset: UInt64,
        end: UInt64, limit: Int, isWanted: (RawSpan) -> Bool, body: (RawSpan, _ isCut: Bool) -> Value
    ) throws(Failure) -> Value? {
        let layout = header.layout
        let headBytes = UInt64(layout.dataHeadBytes)
        guard offset >= header.headerBytes, offset % 8 == 0, offset < end, end - offset > headBytes,
            try hold(&window, offset, layout.dataHeadBytes, source)
        else { throw .damaged }
        guard let head = window.with(offset, ObjectHead.bytes, { ObjectHead($0) }), head.kind == .data,
            head.size > headBytes, head.size <= end - offset
        else { throw .damaged }
        let compression = head.flags & 7
        guard compression == 0, head.size <= UInt64(min(window.capacity, limit)),
            try hold(&window, offset, Int(head.size), source)
        else {
            return try readPieces(source, &window, header, head, at: offset, limit, isWanted, body)
        }
        return try window.with(offset, Int(head.size)) { (object) throws(Failure) in
            let field = object.extracting(layout.dataHeadBytes..<object.byteCount)
            guard isWanted(field) else { return nil }
            var hash = FieldHash(header, length: field.byteCount)
            hash.update(field)
            guard hash.finish() == object.uint64(at: 16) else { throw .damaged }
            return body(field, false)
        }
    }

    @inline(__always)
    private func hold(
        _ window: inout FileWindow, _ offset: UInt64, _ length: Int, _ source: borrowing some ByteSource
    ) throws(Failure) -> Bool {
        do { return try window.hold(offset, length, of: source) } catch { throw .file(error) }
    }
}

// MARK: large and compressed fields
extension FieldReader {
    private static let pieceBytes = 16 << 10

    private mutating func readPieces<Value>(
        _ source: borrowing some ByteSource, _ window: inout FileWindow, _ header: FileHeader, _ head: ObjectHead,
        at offset: UInt64, _ limit: Int, _ isWanted: (RawSpan) -> Bool, _ body: (RawSpan, _ isCut: Bool) -> Value
    ) throws(Failure) -> Value? {
        let layout = header.layout
        let bytes = (offset + UInt64(layout.dataHeadBytes))..<(offset + head.size)
        var compression: FieldCompression?
        if head.flags & 7 != 0 {
            compression = FieldCompression(rawValue: head.flags & 7)
            // Two compressions at once: no version of journald writes that.
            guard compression != nil else { throw .damaged }
        }
        var length = Int(head.size) - layout.dataHeadBytes
        if compression != nil, !header.flags.contains(.keyedHash) {
            // Jenkins' hash begins with the length, which is known only after decompression.
            length = 0
            guard
                try forEachPiece(
                    source, &window, bytes, compression,
                    { piece in
                        length += piece.byteCount
                        return true
                    })
            else { return nil }
        }
        var hash = FieldHash(header, length: length)
        beginning.removeAll(keepingCapacity: true)
        var total = 0
        var (wanted, room) = (true, [UInt8]())
        swap(&room, &beginning)
        defer { swap(&room, &beginning) }
        let isRead = try forEachPiece(source, &window, bytes, compression) { piece in
            if total == 0 { wanted = isWanted(piece) }
            guard wanted else { return false }
            hash.update(piece)
            total += piece.byteCount
            let rest = min(limit - room.count, piece.byteCount)
            if rest > 0 { piece.extracting(0..<rest).withUnsafeBytes { room.append(contentsOf: $0) } }
            return true
        }
        guard isRead else { return nil }
        guard try hold(&window, offset, layout.dataHeadBytes, source) else { throw .damaged }
        let expected = window.with(offset, layout.dataHeadBytes) { $0.uint64(at: 16) }
        guard hash.finish() == expected else { throw .damaged }
        return room.withUnsafeBytes { body($0.bytes, total > $0.count) }
    }

    /// - Parameter take: returns whether it wants more pieces.
    /// - Returns: whether it wanted all of them.
    private func forEachPiece(
        _ source: borrowing some ByteSource, _ window: inout FileWindow, _ bytes: Range<UInt64>,
        _ compression: FieldCompression?, _ take: (RawSpan) -> Bool
    ) throws(Failure) -> Bool {
        var goesOn = true
        var offset = bytes.lowerBound
        if let compression { try unpacking { () throws(Decompressor.Damage) in try unpacker.begin(compression) } }
        while offset < bytes.upperBound, goesOn {
            let count = Int(min(bytes.upperBound - offset, UInt64(min(Self.pieceBytes, window.capacity))))
            guard try hold(&window, offset, count, source) else { throw .damaged }
            try window.with(offset, count) { (piece) throws(Failure) in
                guard compression != nil else {
                    goesOn = take(piece)
                    return
                }
                try unpacking { () throws(Decompressor.Damage) in
                    try unpacker.feed(piece) { if goesOn { goesOn = take($0) } }
                }
            }
            offset += UInt64(count)
        }
        guard goesOn, compression != nil else { return goesOn }
        try unpacking { () throws(Decompressor.Damage) in try unpacker.finish { if goesOn { goesOn = take($0) } } }
        return goesOn
    }

    private func unpacking(_ body: () throws(Decompressor.Damage) -> Void) throws(Failure) {
        do { try body() } catch { throw .damaged }
    }
}
