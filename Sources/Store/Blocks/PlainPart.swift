/// Bytes as they are, and behind them a checksum that damaged ones do not have.
enum PlainPart {
    private static let checksumBytes = 8

    /// - Parameter seed: what else the checksum is of.
    static func append(_ bytes: [UInt8], to output: inout [UInt8], seed: UInt64 = 0) {
        output += bytes
        let checksum = bytes.withUnsafeBytes { ByteHash.hash($0, seed: seed) }
        withUnsafeBytes(of: checksum.littleEndian) { output.append(contentsOf: $0) }
    }

    /// - Returns: the bytes without the checksum.
    static func checked(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0
    ) throws(BlockDamage) -> UnsafeRawBufferPointer {
        guard bytes.count >= checksumBytes else { throw BlockDamage("it ends too early") }
        let content = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - checksumBytes)])
        let stored = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: content.count, as: UInt64.self))
        guard stored == ByteHash.hash(content, seed: seed) else {
            throw BlockDamage("it does not have the checksum that it was written with")
        }
        return content
    }

    /// Checks the bytes and takes the checksum away.
    static func open(_ bytes: inout [UInt8]) throws(BlockDamage) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(BlockDamage) in try checked(bytes).count }
        }
        bytes.removeLast(bytes.count - (try result.get()))
    }
}
