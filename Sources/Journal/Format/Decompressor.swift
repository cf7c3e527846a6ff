internal import CLZ4
internal import CLZMA
internal import CZstd

/// The compression of a field, from the flags of its object.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/#objects
enum FieldCompression: UInt8, Sendable {
    case xz = 1
    case lz4 = 2
    case zstd = 4
}

/// Decompresses fields one after the other, in pieces. Memory use does not depend on the size that a field claims to
/// have, except with LZ4, where a field is one block.
final class Decompressor {
    /// A field that does not match its flags, or whose bytes end too early or too late.
    struct Damage: Error, Hashable {}

    /// The size of the longest field that journald accepts.
    private static let maximumFieldBytes: UInt64 = 768 << 20
    private static let pieceBytes = 64 << 10
    private static let xzMemoryBytes: UInt64 = 64 << 20

    private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceBytes, alignment: 16)
    private var zstd: OpaquePointer?
    private var xz = lzma_stream()
    /// The bytes of an LZ4 block until it is complete.
    private var block: [UInt8] = []

    private var compression = FieldCompression.zstd
    private var isComplete = false
    private var total: UInt64 = 0

    init() {}

    deinit {
        piece.deallocate()
        ZSTD_freeDCtx(zstd)
        lzma_end(&xz)
    }

    /// Begins a new field.
    func begin(_ compression: FieldCompression) throws(Damage) {
        self.compression = compression
        isComplete = false
        total = 0
        switch compression {
        case .zstd:
            if zstd == nil { zstd = ZSTD_createDCtx() }
            ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only)
        case .xz:
            guard lzma_stream_decoder(&xz, Self.xzMemoryBytes, 0) == LZMA_OK else { throw Damage() }
        case .lz4:
            block = []
        }
    }

    /// Decompresses the next bytes.
    /// - Parameter take: receives the field's bytes in pieces, in order. After an error the pieces so far are not
    ///   valid.
    func feed(_ bytes: RawSpan, take: (RawSpan) -> Void) throws(Damage) {
        try bytes.withUnsafeBytes { (bytes) throws(Damage) in
            switch compression {
            case .zstd: try feedZstd(bytes, take)
            case .xz: try feedXZ(bytes, take)
            case .lz4:
                guard UInt64(block.count + bytes.count) <= Self.maximumFieldBytes else { throw Damage() }
                block.append(contentsOf: bytes)
            }
        }
    }

    /// Ends the field: there are no more bytes.
    func finish(take: (RawSpan) -> Void) throws(Damage) {
        if compression == .lz4 { try unpackBlock(take) }
        guard isComplete else { throw Damage() }
    }

    private func feedZstd(_ bytes: UnsafeRawBufferPointer, _ take: (RawSpan) -> Void) throws(Damage) {
        var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
        var mayHoldMore = false
        while input.pos < input.size || mayHoldMore {
            if isComplete { throw Damage() }
            var room = ZSTD_outBuffer(dst: piece.baseAddress, size: piece.count, pos: 0)
            let status = ZSTD_decompressStream(zstd, &room, &input)
            guard ZSTD_isError(status) == 0 else { throw Damage() }
            try give(room.pos, take)
            isComplete = status == 0
            mayHoldMore = !isComplete && room.pos == room.size
        }
    }

    private func feedXZ(_ bytes: UnsafeRawBufferPointer, _ take: (RawSpan) -> Void) throws(Damage) {
        xz.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        xz.avail_in = bytes.count
        var mayHoldMore = false
        while xz.avail_in > 0 || mayHoldMore {
            if isComplete { throw Damage() }
            xz.next_out = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            xz.avail_out = piece.count
            let status = lzma_code(&xz, LZMA_RUN)
            // No progress is possible: the next call continues with more bytes, or there are none.
            if status == LZMA_BUF_ERROR { return }
            guard status == LZMA_OK || status == LZMA_STREAM_END else { throw Damage() }
            try give(piece.count - xz.avail_out, take)
            isComplete = status == LZMA_STREAM_END
            mayHoldMore = !isComplete && xz.avail_out == 0
        }
    }

    /// Decompresses a field whose object has its size in eight bytes, then one block.
    private func unpackBlock(_ take: (RawSpan) -> Void) throws(Damage) {
        defer { block = [] }
        guard block.count > 8 else { throw Damage() }
        let size = block.withUnsafeBytes { $0.bytes.uint64(at: 0) }
        // A block can grow to at most 255 times its size.
        guard size > 0, size <= Self.maximumFieldBytes, size <= UInt64(block.count) * 255 else { throw Damage() }
        let field = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(size), alignment: 16)
        defer { field.deallocate() }
        let count = block.withUnsafeBytes { block in
            LZ4_decompress_safe(
                block.baseAddress.map { ($0 + 8).assumingMemoryBound(to: CChar.self) },
                field.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(block.count - 8), CInt(size))
        }
        guard count == CInt(size) else { throw Damage() }
        isComplete = true
        take(UnsafeRawBufferPointer(field).bytes)
    }

    private func give(_ count: Int, _ take: (RawSpan) -> Void) throws(Damage) {
        guard count > 0 else { return }
        total += UInt64(count)
        guard total <= Self.maximumFieldBytes else { throw Damage() }
        take(UnsafeRawBufferPointer(rebasing: piece[..<count]).bytes)
    }
}
