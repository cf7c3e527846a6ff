import CLZ4
import CZstd

/// An error: the bytes do not have the format that docs/store.md describes.
struct FormatError: Error {
    var what: String

    init(_ what: String) { self.what = what }
}

/// A reader of bytes from the first to the last.
struct DescribedBytes {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes)[...] }

    var isAtEnd: Bool { bytes.isEmpty }

    mutating func take(_ count: Int) throws -> [UInt8] {
        guard count >= 0, count <= bytes.count else { throw FormatError("\(count) bytes of \(bytes.count)") }
        defer { bytes = bytes.dropFirst(count) }
        return Array(bytes.prefix(count))
    }

    mutating func rest() throws -> [UInt8] { try take(bytes.count) }

    mutating func byte() throws -> Int { Int(try take(1)[0]) }

    mutating func littleEndian(_ width: Int) throws -> UInt64 {
        try take(width).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func number() throws -> UInt64 {
        var (number, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = UInt64(try byte())
            number |= (byte & 127) << shift
            if byte < 128 { return number }
            shift += 7
        }
    }

    mutating func count() throws -> Int { Int(try number()) }

    mutating func signed() throws -> Int64 {
        let number = try number()
        return number % 2 == 0 ? Int64(number / 2) : -Int64(number / 2) - 1
    }

    // MARK: what is around bytes

    /// - Parameter seed: the seed of the first checksum behind the bytes.
    /// - Returns: The bytes without their checksums.
    static func checked(_ bytes: [UInt8], seed: UInt64 = 0) throws -> [UInt8] {
        let pieces = max(1, (bytes.count + 1031) / 1032)
        let content = Array(bytes.dropLast(8 * pieces))
        var checksums = DescribedBytes(bytes.suffix(8 * pieces))
        for piece in 0..<pieces {
            let part = Array(content.dropFirst(1024 * piece).prefix(1024))
            guard try checksums.littleEndian(8) == DescribedHash.checksum(part, seed: seed &+ UInt64(piece)) else {
                throw FormatError("another checksum")
            }
        }
        return content
    }

    static func unpackedFrame(_ frame: [UInt8], _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard ZSTD_decompress(&bytes, count, frame, frame.count) == count else { throw FormatError("no such frame") }
        return bytes
    }

    static func unpackedBlock(_ block: [UInt8], _ count: Int) throws -> [UInt8] {
        var bytes = [CChar](repeating: 0, count: count)
        let size = LZ4_decompress_safe(block.map { CChar(bitPattern: $0) }, &bytes, CInt(block.count), CInt(count))
        guard size == CInt(count) else { throw FormatError("no such block") }
        return bytes.map { UInt8(bitPattern: $0) }
    }

    static func withoutZeros(_ bytes: [UInt8]) throws -> [UInt8] {
        guard bytes.count >= 4061, bytes.prefix(4061).allSatisfy({ $0 == 0 }) else { throw FormatError("no zeros") }
        return Array(bytes.dropFirst(4061))
    }
}

enum DescribedHash {
    static func mix(_ number: UInt64) -> UInt64 {
        var x = number
        for _ in 0..<2 { x = (x ^ (x >> 32)) &* 0xD6E8_FEB8_6659_FD93 }
        return x ^ (x >> 32)
    }

    static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
        var hash = seed ^ (UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15)
        for place in stride(from: 0, to: bytes.count, by: 8) {
            hash = mix(hash ^ bytes[place...].prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        return mix(hash)
    }

    static func checksum(_ bytes: [UInt8], seed: UInt64) -> UInt64 {
        guard bytes.count >= 128 else { return hash(bytes, seed: seed) }
        let quarter = bytes.count / 32 * 8
        let quarters = (0..<4).map { Array(bytes[($0 * quarter)..<(($0 + 1) * quarter)]) }
        let hashes = (quarters + [Array(bytes[(4 * quarter)...])]).map { hash($0) }
        return hash(hashes.flatMap { hash in (0..<8).map { UInt8(hash >> ($0 * 8) & 0xFF) } }, seed: seed)
    }

    static func mayHave(_ hash: UInt64, filter: [UInt8]) -> Bool {
        (0..<6 as Range<UInt64>).allSatisfy { index in
            let bit = (hash % (1 << 32) + index * ((hash >> 32) | 1)) % (UInt64(filter.count) * 8)
            return filter[Int(bit / 8)] & 1 << (bit % 8) != 0
        }
    }

    /// Returns the mixed ordinal. The second half of an event's uid is its entry_hash ^ this.
    static func ofOrdinal(_ ordinal: UInt64) -> UInt64 {
        var x = ordinal &* 0x9E37_79B9_7F4A_7C15
        x = (x ^ (x >> 30)) &* 0xBF58_476D_1CE4_E5B9
        x = (x ^ (x >> 27)) &* 0x94D0_49BB_1331_11EB
        return x ^ (x >> 31)
    }
}
