import Glibc
import Model

/// Finds out of the twenty-odd fields of an entry those that matter, for next to nothing: most fields fail on the first
/// two bytes or on one comparison of eight.
struct FieldTable {
    private struct Candidate {
        /// The name with its `=`, up to eight bytes, as they lie in memory.
        var prefix: UInt64
        var mask: UInt64
        /// What follows those eight bytes.
        var rest: [UInt8]
        var length: Int
        var next: Int16
    }

    private var candidates: [Candidate] = []
    /// The first candidate of each bucket, or -1.
    private var buckets = [Int16](repeating: -1, count: 256)

    /// - Parameter names: without `=`, each of them once.
    init(_ names: [String]) {
        for name in names {
            let bytes = Array(name.utf8) + [UInt8(ascii: "=")]
            let bucket = bytes.withUnsafeBytes { Self.bucket($0) }
            candidates.append(
                Candidate(
                    prefix: bytes.withUnsafeBytes { Self.firstBytes($0) },
                    mask: bytes.count >= 8 ? .max : UInt64(littleEndian: (1 << (8 * UInt64(bytes.count))) - 1),
                    rest: Array(bytes.dropFirst(8)), length: bytes.count, next: buckets[bucket]))
            buckets[bucket] = Int16(candidates.count - 1)
        }
    }

    /// - Parameter field: `NAME=value`
    /// - Returns: the name's index in `names`, and its length with the `=`; `nil` for other fields.
    @inline(__always)
    func find(_ field: UnsafeRawBufferPointer) -> (index: Int, valueOffset: Int)? {
        guard field.count >= 2 else { return nil }
        var index = Int(buckets[Self.bucket(field)])
        guard index >= 0 else { return nil }
        let prefix = Self.firstBytes(field)
        repeat {
            let length = candidates[index].length
            if prefix & candidates[index].mask == candidates[index].prefix, field.count >= length,
                length <= 8 || memcmp(field.baseAddress! + 8, candidates[index].rest, length - 8) == 0
            {
                return (index, length)
            }
            index = Int(candidates[index].next)
        } while index >= 0
        return nil
    }

    /// Of the first two bytes only: a name may be one byte long, and then the second one is the `=`.
    @inline(__always)
    private static func bucket(_ field: UnsafeRawBufferPointer) -> Int {
        Int(field[0] &* 31 &+ field[1])
    }

    @inline(__always)
    private static func firstBytes(_ field: UnsafeRawBufferPointer) -> UInt64 {
        if field.count >= 8 { return field.loadUnaligned(as: UInt64.self) }
        var bytes: UInt64 = 0
        withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: field) }
        return bytes
    }
}
