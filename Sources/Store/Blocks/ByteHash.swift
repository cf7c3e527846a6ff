/// A quick hash of bytes. It is part of the format, as filters have it: the same for ever.
enum ByteHash {
    /// - Parameter seed: 0 for what is stored; something random for tables in memory, as the bytes come from anybody.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        var hash = seed ^ UInt64(bytes.count) &* 0x9E37_79B9_7F4A_7C15
        var place = 0
        while place + 8 <= bytes.count {
            hash = mixed(hash ^ UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
            place += 8
        }
        if place < bytes.count {
            var rest: UInt64 = 0
            for index in (place..<bytes.count).reversed() { rest = rest << 8 | UInt64(bytes[index]) }
            hash = mixed(hash ^ rest)
        }
        return mixed(hash)
    }

    /// Every bit of the result depends on every bit of the number, and no two numbers have the same result.
    @inline(__always)
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        mixed = (mixed ^ mixed >> 32) &* 0xD6E8_FEB8_6659_FD93
        return mixed ^ mixed >> 32
    }
}

/// A key that takes long to hash: a table that grows, and whoever asks another one for it, need not do that again.
struct Hashed<Value: Hashable>: Hashable {
    let value: Value
    let hash: Int

    init(_ value: Value) { self.init(value, hash: value.hashValue) }

    /// - Parameter hash: what `value.hashValue` is.
    init(_ value: Value, hash: Int) {
        self.value = value
        self.hash = hash
    }

    static func == (one: Self, other: Self) -> Bool { one.hash == other.hash && one.value == other.value }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Hashed: Sendable where Value: Sendable {}

/// Different hashes.
struct HashSet {
    /// Against senders who make up values that meet in one place.
    private static let seed = UInt64.random(in: .min ... .max)

    private(set) var hashes: [UInt64] = []
    /// Numbers of hashes since the last `begin`, from 1; 0 is free.
    private var slots = [UInt32](repeating: 0, count: 64)
    private var first = 0

    /// From here on only hashes are told apart that come from here on: what is looked through stays small.
    mutating func begin() {
        first = hashes.count
        slots = [UInt32](repeating: 0, count: 64)
    }

    @inline(__always)
    mutating func insert(_ hash: UInt64) {
        var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ Self.seed)) & (slots.count - 1)
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
            var slot = Int(truncatingIfNeeded: ByteHash.mixed(hash ^ Self.seed)) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = UInt32(number + 1)
        }
    }
}
