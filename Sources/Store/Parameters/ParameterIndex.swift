internal import Model

/// Which events of a block have which values of the parameters that are to be fast to search by: for each event and value
/// a hash of name and value beside the event's place. Two values may share a hash, so rows are looked at once more.
struct ParameterIndex: Sendable {
    private struct Entry: Comparable {
        var hash: UInt32
        var offset: UInt16

        static func < (one: Entry, other: Entry) -> Bool { (one.hash, one.offset) < (other.hash, other.offset) }
    }

    /// Sorted.
    let names: [String]
    private let table: Set<[UInt8]>
    private var members = PayloadMembers()
    private var entries: [Entry] = []

    /// Of one entry in `encoded`.
    static let entryBytes = 6

    init(names: Set<ExactString>) {
        self.names = names.map(\.text).sorted()
        table = Set(names.map { Array($0.utf8) })
    }

    var isEmpty: Bool { names.isEmpty }

    /// The same names without any entries: for the next block.
    func emptied() -> ParameterIndex {
        var next = self
        next.entries.removeAll(keepingCapacity: true)
        return next
    }

    mutating func insert(_ payload: UnsafeRawBufferPointer, at offset: Int) {
        guard !names.isEmpty else { return }
        members.forEach(of: table, in: payload) { name, value in
            entries.append(Entry(hash: Self.hash(name, value), offset: UInt16(offset)))
        }
    }

    mutating func remove(at offset: Int) {
        entries.removeAll { $0.offset == UInt16(offset) }
    }

    /// What the column `entries` holds: 4 bytes of hash and 2 of offset each, little-endian, sorted.
    var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * Self.entryBytes)
        for entry in entries.sorted() {
            withUnsafeBytes(of: entry.hash.littleEndian) { bytes += $0 }
            withUnsafeBytes(of: entry.offset.littleEndian) { bytes += $0 }
        }
        return bytes
    }

    /// Where events may be found that have this value.
    static func offsets(of name: String, _ value: String, in encoded: UnsafeRawBufferPointer) -> [Int] {
        let wanted = Array(name.utf8).withUnsafeBytes { name in
            Array(value.utf8).withUnsafeBytes { Self.hash(name, $0) }
        }
        let count = encoded.count / entryBytes
        func hash(at index: Int) -> UInt32 {
            UInt32(littleEndian: encoded.loadUnaligned(fromByteOffset: index * entryBytes, as: UInt32.self))
        }
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if hash(at: middle) < wanted { low = middle + 1 } else { high = middle }
        }
        var offsets: [Int] = []
        while low < count, hash(at: low) == wanted {
            let offset = encoded.loadUnaligned(fromByteOffset: low * entryBytes + 4, as: UInt16.self)
            offsets.append(Int(UInt16(littleEndian: offset)))
            low += 1
        }
        return offsets
    }

    /// FNV-1a of the name, a zero byte and the value: what is stored must not depend on the run.
    private static func hash(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> UInt32 {
        var hash: UInt32 = 0x811C_9DC5
        func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        for byte in name { add(byte) }
        add(0)
        for byte in value { add(byte) }
        return hash
    }
}
