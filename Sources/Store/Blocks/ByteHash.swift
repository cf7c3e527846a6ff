/// A fast hash of bytes. Filters on disk consist of its values, so that it must never change.
enum ByteHash {
    /// A random seed for tables in memory, so that senders cannot choose what collides.
    static let randomSeed = UInt64.random(in: .min ... .max)

    /// - Parameter seed: 0 for hashes that are stored.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) &* lengthFactor
        var place = 0
        while place + 8 <= bytes.count {
            hash = mixed(hash ^ word(bytes, place))
            place += 8
        }
        if place < bytes.count {
            var rest: UInt64 = 0
            for index in (place..<bytes.count).reversed() { rest = rest << 8 | UInt64(bytes[index]) }
            hash = mixed(hash ^ rest)
        }
        return mixed(hash)
    }

    /// A hash that takes a third of the time, where there are many bytes: each step of `hash` waits for the one before,
    /// so four quarters of the bytes are hashed side by side.
    static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        guard bytes.count >= 128 else { return hash(bytes, seed: seed) }
        let quarter = bytes.count / 32 * 8
        let start = UInt64(quarter) &* lengthFactor
        var (first, second, third, fourth) = (start, start, start, start)
        for place in stride(from: 0, to: quarter, by: 8) {
            first = mixed(first ^ word(bytes, place))
            second = mixed(second ^ word(bytes, quarter + place))
            third = mixed(third ^ word(bytes, 2 * quarter + place))
            fourth = mixed(fourth ^ word(bytes, 3 * quarter + place))
        }
        let rest = hash(UnsafeRawBufferPointer(rebasing: bytes[(4 * quarter)...]))
        let quarters = (
            mixed(first).littleEndian, mixed(second).littleEndian, mixed(third).littleEndian, mixed(fourth).littleEndian
        )
        return withUnsafeBytes(of: (quarters, rest.littleEndian)) { hash($0, seed: seed) }
    }

    private static let lengthFactor: UInt64 = 0x9E37_79B9_7F4A_7C15

    @inline(__always)
    private static func word(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }

    /// Mixes a number, so that every bit of the result depends on every bit of the number. No two numbers have the
    /// same result.
    @inline(__always)
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}

/// A key that keeps its hash, since that takes long to compute. It is not computed again when a table grows, or when
/// another table is searched.
struct Hashed<Value: Hashable>: Hashable {
    let value: Value
    let hash: Int

    init(_ value: Value) { self.init(value, hash: value.hashValue) }

    /// - Parameter hash: the value of `value.hashValue`.
    init(_ value: Value, hash: Int) {
        self.value = value
        self.hash = hash
    }

    static func == (one: Self, other: Self) -> Bool { one.hash == other.hash && one.value == other.value }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Hashed: Sendable where Value: Sendable {}

/// A set of hashes.
struct HashSet {
    private(set) var hashes: [UInt64] = []
    /// The positions of hashes since the last `begin`, plus 1; 0 marks a free slot.
    private var slots = [UInt32](repeating: 0, count: 64)
    private var first = 0

    /// Starts a new group: from now on, duplicates are detected only within the group. This keeps the searched table
    /// small.
    mutating func begin() {
        first = hashes.count
        slots = [UInt32](repeating: 0, count: 64)
    }

    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ ByteHash.randomSeed)) & (slots.count - 1)
        while slots[slot] != 0 {
            if hashes[first + Int(slots[slot]) - 1] == hash { return }
            slot = (slot + 1) & (slots.count - 1)
        }
        hashes.append(hash)
        slots[slot] = UInt32(hashes.count - first)
        if (hashes.count - first) * 2 > slots.count { grow() }
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count * 2)
        for (number, hash) in hashes[first...].enumerated() {
            var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ ByteHash.randomSeed)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}
