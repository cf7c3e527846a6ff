internal import CZstd
internal import JSON

/// Packs and unpacks parts of blocks. Each part is a zstd frame with its checksum, so that damaged bytes are
/// detected. A part that cannot be compressed grows by about a dozen bytes.
final class BlockFrames {
    /// Higher levels are slower, and do not make these columns smaller.
    private static let level: Int32 = 1

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

    /// - Returns: the size of the frame that was appended to `output`.
    @discardableResult
    func pack(_ bytes: [UInt8], into output: inout [UInt8]) -> Int {
        let start = output.count
        output.append(upTo: ZSTD_compressBound(bytes.count)) { output in
            let count = bytes.withUnsafeBytes { bytes in
                ZSTD_compress2(packing, output.baseAddress, output.count, bytes.baseAddress, bytes.count)
            }
            precondition(ZSTD_isError(count) == 0, "zstd failed although there was enough room")
            return count
        }
        return output.count - start
    }

    /// - Parameters:
    ///   - frame: exactly one frame.
    ///   - count: the number of bytes that it has unpacked.
    /// - Returns: the unpacked bytes, and `HeldBytes.padding` zeros.
    func unpack(_ frame: UnsafeRawBufferPointer, count expected: Int) throws(BlockDamage) -> [UInt8] {
        let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
        guard size == UInt64(expected) else { throw BlockDamage("not a zstd frame with \(expected) bytes") }
        var output: [UInt8] = []
        output.reserveCapacity(expected + HeldBytes.padding)
        var count = 0
        output.append(upTo: expected) { output in
            count = ZSTD_decompressDCtx(unpacking, output.baseAddress, expected, frame.baseAddress, frame.count)
            return ZSTD_isError(count) == 0 ? count : 0
        }
        guard ZSTD_isError(count) == 0 else { throw BlockDamage(String(cString: ZSTD_getErrorName(count))) }
        guard count == expected else { throw BlockDamage("\(count) bytes instead of \(expected)") }
        output.append(contentsOf: repeatElement(0, count: HeldBytes.padding))
        return output
    }
}
