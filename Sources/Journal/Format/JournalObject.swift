import Model

/// The head of an object. After its header, a journal file is a sequence of objects, each at a multiple of 8.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/#objects
struct ObjectHead: Sendable, Hashable {
    enum Kind: UInt8, Sendable, CaseIterable {
        case data = 1
        case field, entry, dataHashTable, fieldHashTable, entryArray, tag
    }

    static let bytes = 16

    var kind: Kind
    var flags: UInt8
    /// The size of the object including its head, without the padding after it.
    var size: UInt64

    /// - Returns: `nil` for bytes that cannot be an object.
    @inline(__always)
    init?(_ bytes: RawSpan) {
        guard let kind = Kind(rawValue: bytes.uint8(at: 0)) else { return nil }
        self.kind = kind
        flags = bytes.uint8(at: 1)
        size = bytes.uint64(at: 8)
        guard size >= kind.minimumBytes, size <= Self.maximumSize else { return nil }
    }

    /// The distance to the next object.
    @inline(__always)
    var stride: UInt64 { (size + 7) & ~7 }

    /// journald accepts fields of at most 768 MiB, and no object is larger than a file of 4 GiB.
    private static let maximumSize: UInt64 = 4 << 30
}

extension ObjectHead.Kind {
    fileprivate var minimumBytes: UInt64 {
        switch self {
        case .data, .entry, .tag: 64
        case .field: 40
        case .dataHashTable, .fieldHashTable: 16
        case .entryArray: 24
        }
    }
}

/// The form of offsets in a file.
struct FileLayout: Sendable, Hashable {
    var isCompact: Bool

    init(isCompact: Bool) { self.isCompact = isCompact }

    /// The offset of a field's bytes in its object.
    @inline(__always)
    var dataHeadBytes: Int { isCompact ? 72 : 64 }
    /// The size of one reference in an entry.
    @inline(__always)
    var entryItemBytes: Int { isCompact ? 4 : 16 }
    /// The size of one item in an array of entries.
    @inline(__always)
    var arrayItemBytes: Int { isCompact ? 4 : 8 }

    @inline(__always)
    func offset(_ bytes: RawSpan, at place: Int) -> UInt64 {
        isCompact ? UInt64(bytes.uint32(at: place)) : bytes.uint64(at: place)
    }
}

/// One entry: its times and numbers, and the place of its fields.
struct EntryHead: Sendable, Hashable {
    static let bytes = 64

    /// The offset of the object in its file.
    var offset: UInt64
    var size: Int
    var seqnum: UInt64
    var realtimeMicroseconds: UInt64
    var monotonicMicroseconds: UInt64
    var bootID: ID128
    /// The Jenkins hashes of all fields, XORed.
    var xorHash: UInt64
    /// Whether it had more fields, whose references are damaged.
    var isDamaged = false

    /// The offset of the next object.
    @inline(__always)
    var end: UInt64 { offset + (UInt64(size) + 7) & ~7 }

    /// - Parameter object: the whole object, whose head says that it is an entry.
    @inline(__always)
    init(_ object: RawSpan, at offset: UInt64) {
        self.offset = offset
        size = object.byteCount
        seqnum = object.uint64(at: 16)
        realtimeMicroseconds = object.uint64(at: 24)
        monotonicMicroseconds = object.uint64(at: 32)
        bootID = ID128(object, at: 40)
        xorHash = object.uint64(at: 56)
    }

    /// - Parameter seqnumID: the counter of the file.
    func cursor(_ seqnumID: ID128) -> JournalCursor {
        JournalCursor(
            seqnumID: seqnumID, seqnum: seqnum, bootID: bootID, monotonicMicroseconds: monotonicMicroseconds,
            realtimeMicroseconds: realtimeMicroseconds, xorHash: xorHash)
    }

    /// Returns `Entry.entryHash`. The times are part of it, so that nobody can log an entry whose hash shows that it has the same
    /// fields as another one.
    @inline(__always)
    func hash(_ key: ID128) -> UInt64 {
        var hash = SipHash(key: key)
        hash.update(bootID.high)
        hash.update(bootID.low)
        hash.update(monotonicMicroseconds)
        hash.update(realtimeMicroseconds)
        hash.update(xorHash)
        return hash.finish()
    }
}

extension RawSpan {
    @inline(__always)
    func uint8(at offset: Int) -> UInt8 { unsafeLoad(fromByteOffset: offset, as: UInt8.self) }

    @inline(__always)
    func uint32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func uint64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

extension ID128 {
    /// Returns an id from a journal file: 16 bytes in the order in which their digits are written.
    @inline(__always)
    init(_ bytes: RawSpan, at offset: Int) {
        self.init(high: bytes.uint64(at: offset).byteSwapped, low: bytes.uint64(at: offset + 8).byteSwapped)
    }
}
