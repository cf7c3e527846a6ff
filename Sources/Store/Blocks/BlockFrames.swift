internal import CLZ4
internal import CZstd
internal import JSON

/// How a part of a block is written. In each form it has a checksum, so that damaged bytes are detected.
enum PartForm: Int {
    /// A `PlainPart`.
    case plain
    /// A zstd frame with its checksum.
    case zstd
    /// A `PlainPart` with an LZ4 block.
    case lz4
}

/// Packs and unpacks parts of blocks.
final class BlockFrames {
    /// Higher levels are slower, and do not make these columns smaller.
    private static let level: Int32 = 1
    /// The largest LZ4 block, with its checksum. Columns that hardly change become as small as by zstd, and are unpacked several
    /// times faster. Other columns would be larger by half, or more.
    private static let lz4Bytes = 512

    private lazy var packing = Self.made(ZSTD_createCCtx()) { packing in
        ZSTD_CCtx_setParameter(packing, ZSTD_c_compressionLevel, Self.level)
        ZSTD_CCtx_setParameter(packing, ZSTD_c_checksumFlag, 1)
        hasPacked = true
    }
    private lazy var unpacking = Self.made(ZSTD_createDCtx()) { _ in hasUnpacked = true }
    private var (hasPacked, hasUnpacked) = (false, false)

    private static func made(_ context: OpaquePointer?, _ setUp: (OpaquePointer) -> Void) -> OpaquePointer {
        // A failed allocation ends the program, as everywhere in Swift.
        guard let context else { fatalError("zstd could not allocate memory") }
        setUp(context)
        return context
    }

    deinit {
        if hasPacked { ZSTD_freeCCtx(packing) }
        if hasUnpacked { ZSTD_freeDCtx(unpacking) }
    }

    /// Appends a part. It is packed only where that makes it smaller by a fifth: data that cannot be compressed is read
    /// much faster unpacked.
    func append(_ bytes: [UInt8], to output: inout [UInt8]) -> PartForm {
        let start = output.count
        func isSmall() -> Bool { (output.count - start) * 5 < bytes.count * 4 }
        if let block = lz4Block(bytes) {
            PlainPart.append(block, to: &output)
            if isSmall() { return .lz4 }
            output.removeLast(output.count - start)
        }
        appendFrame(bytes, to: &output)
        if isSmall() { return .zstd }
        output.removeLast(output.count - start)
        PlainPart.append(bytes, to: &output)
        return .plain
    }

    /// - Returns: an LZ4 block, if it is small.
    private func lz4Block(_ bytes: [UInt8]) -> [UInt8]? {
        guard !bytes.isEmpty, let count = CInt(exactly: bytes.count) else { return nil }
        let most = PlainPart.content(of: Self.lz4Bytes)
        let block = [UInt8](unsafeUninitializedCapacity: most) { block, filled in
            // It ends early when there is no more room.
            let size = bytes.withUnsafeBytes { bytes in
                LZ4_compress_default(
                    bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                    UnsafeMutableRawBufferPointer(block).baseAddress?.assumingMemoryBound(to: CChar.self), count,
                    CInt(most))
            }
            filled = max(0, Int(size))
        }
        return block.isEmpty ? nil : block
    }

    private func appendFrame(_ bytes: [UInt8], to output: inout [UInt8]) {
        output.append(upTo: ZSTD_compressBound(bytes.count)) { output in
            let count = bytes.withUnsafeBytes { bytes in
                ZSTD_compress2(packing, output.baseAddress, output.count, bytes.baseAddress, bytes.count)
            }
            precondition(ZSTD_isError(count) == 0, "zstd failed although there was enough room")
            return count
        }
    }

    /// - Parameters:
    ///   - part: a part in the form `.lz4` or `.zstd`.
    ///   - count: the number of bytes that it has unpacked.
    /// - Returns: the unpacked bytes, and `HeldBytes.padding` zeros.
    func unpack(_ part: UnsafeRawBufferPointer, _ form: PartForm, count: Int) throws(BlockDamage) -> [UInt8] {
        if form == .zstd {
            let size = ZSTD_getFrameContentSize(part.baseAddress, part.count)
            guard size == UInt64(count) else { throw BlockDamage("not a zstd frame with \(count) bytes") }
            return try unpacked(count) { output in
                let size = ZSTD_decompressDCtx(unpacking, output.baseAddress, count, part.baseAddress, part.count)
                return ZSTD_isError(size) == 0 ? size : 0
            }
        }
        let block = try PlainPart.checked(part)
        // A block can grow to at most 255 times its size.
        guard count <= block.count * 255 else { throw BlockDamage("not an LZ4 block with \(count) bytes") }
        return try unpacked(count) { output in
            Int(
                LZ4_decompress_safe(
                    block.baseAddress?.assumingMemoryBound(to: CChar.self),
                    output.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(block.count), CInt(count)))
        }
    }

    /// - Parameter unpack: returns how many bytes it has written; anything but `count` if they are damaged.
    private func unpacked(
        _ count: Int, _ unpack: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(BlockDamage) -> [UInt8] {
        var (output, size) = ([UInt8](), 0)
        output.reserveCapacity(count + HeldBytes.padding)
        output.append(upTo: count) { output in
            size = unpack(output)
            return size == count ? count : 0
        }
        guard size == count else { throw BlockDamage("it does not unpack to \(count) bytes") }
        output.append(contentsOf: repeatElement(0, count: HeldBytes.padding))
        return output
    }
}
