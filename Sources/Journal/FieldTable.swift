import Glibc

/// Finds the fields that matter among the twenty or more of an entry, at very little cost: most fields are ruled out by
/// their first two bytes or by one comparison of eight bytes.
struct FieldTable {
    private struct Candidate {
        /// The first eight bytes of the name with its `=`, in memory order.
        var prefix: UInt64
        var mask: UInt64
        /// The start of the name in `names`.
        var start: Int
        var length: Int
        var next: Int32
    }

    private var candidates: [Candidate] = []
    /// All names one after the other, each with its `=`.
    private var names: [UInt8] = []
    /// The first candidate of each bucket, or -1.
    private var buckets = [Int32](repeating: -1, count: 256)

    /// - Parameter names: the names without `=`, each of them once.
    init(_ names: [String]) {
        for name in names {
            let bytes = Array("\(name)=".utf8)
            bytes.withUnsafeBytes { add($0) }
        }
    }

    /// The number of names.
    var count: Int { candidates.count }

    /// - Parameter name: another name with its `=`; at least two bytes.
    mutating func add(_ name: UnsafeRawBufferPointer) {
        let bucket = Self.bucket(name)
        candidates.append(
            Candidate(
                prefix: Self.firstBytes(name),
                mask: name.count >= 8 ? .max : UInt64(littleEndian: (1 << (8 * UInt64(name.count))) - 1),
                start: names.count, length: name.count, next: buckets[bucket]))
        names += name
        buckets[bucket] = Int32(candidates.count - 1)
    }

    /// - Parameter field: `NAME=value`
    /// - Returns: the name's index in the order in which names were added, and its length with the `=`; `nil` for other
    ///   fields.
    @inline(__always)
    func find(_ field: UnsafeRawBufferPointer) -> (index: Int, valueOffset: Int)? {
        guard field.count >= 2 else { return nil }
        var index = Int(buckets[Self.bucket(field)])
        guard index >= 0 else { return nil }
        let prefix = Self.firstBytes(field)
        repeat {
            let candidate = candidates[index]
            let length = candidate.length
            if prefix & candidate.mask == candidate.prefix, field.count >= length,
                length <= 8 || hasRest(candidate, field)
            {
                return (index, length)
            }
            index = Int(candidate.next)
        } while index >= 0
        return nil
    }

    /// Whether the field continues with the rest of the name after its first eight bytes. Both are longer than that.
    @inline(__always)
    private func hasRest(_ candidate: Candidate, _ field: UnsafeRawBufferPointer) -> Bool {
        names.withUnsafeBytes {
            memcmp(field.baseAddress! + 8, $0.baseAddress! + candidate.start + 8, candidate.length - 8) == 0
        }
    }

    /// The bucket, which depends only on the first two bytes: in a name of one byte, the second is the `=`.
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
