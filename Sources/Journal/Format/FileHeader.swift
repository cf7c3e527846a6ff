import Model

/// The header of a journal file: its identity, and how much it contains.
///
/// All numbers in a journal file are little endian.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/
struct FileHeader: Sendable, Hashable {
    /// The size of the shortest header that any version of journald has written.
    static let minimumBytes = 208
    /// A size that no version's header will exceed.
    private static let longestBytes: UInt64 = 1024

    /// The features that a reader must know to be able to read a file.
    struct IncompatibleFlags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32
        init(rawValue: UInt32) { self.rawValue = rawValue }

        static let compressedXZ = IncompatibleFlags(rawValue: 1 << 0)
        static let compressedLZ4 = IncompatibleFlags(rawValue: 1 << 1)
        /// Fields are hashed with SipHash and the file's id as its key, otherwise with Jenkins' hash.
        static let keyedHash = IncompatibleFlags(rawValue: 1 << 2)
        static let compressedZstd = IncompatibleFlags(rawValue: 1 << 3)
        /// Offsets in entries and arrays have four bytes instead of eight.
        static let compact = IncompatibleFlags(rawValue: 1 << 4)
        static let known: IncompatibleFlags = [
            .compressedXZ, .compressedLZ4, .keyedHash, .compressedZstd, .compact,
        ]
    }

    var flags: IncompatibleFlags
    /// Whether journald has finished it.
    var isArchived: Bool
    /// The file's id. It stays when rotation renames the file; a copy has the same id.
    var fileID: ID128
    var machineID: ID128
    /// The counter that the sequence numbers come from. It is written with the first entry.
    var seqnumID: ID128
    /// The offset of the first object.
    var headerBytes: UInt64
    var arenaBytes: UInt64
    /// The offset of the last object; 0 when there is none yet.
    var tailObject: UInt64
    var entryCount: UInt64
    var headSeqnum: UInt64
    var tailSeqnum: UInt64
    /// The offset of the first array that lists all entries; 0 when there is none yet.
    var entryArray: UInt64
    var headRealtimeMicroseconds: UInt64
    var tailRealtimeMicroseconds: UInt64

    /// Parses the beginning of a file.
    /// - Throws: `FormatError`.
    init(_ bytes: RawSpan) throws(FormatError) {
        // journald creates the file first and writes its header a moment later.
        guard bytes.byteCount >= Self.minimumBytes else { throw .incomplete }
        let signature = bytes.uint64(at: 0)
        guard signature != 0 else { throw .incomplete }
        guard signature == Self.signature else { throw .notAJournal }
        flags = IncompatibleFlags(rawValue: bytes.uint32(at: 12))
        guard flags.isSubset(of: .known) else {
            throw .unsupported(flags: flags.subtracting(.known).rawValue)
        }
        isArchived = bytes.uint8(at: 16) == Self.archived
        fileID = ID128(bytes, at: 24)
        machineID = ID128(bytes, at: 40)
        seqnumID = ID128(bytes, at: 72)
        // If the length is damaged, objects are searched from the end of the shortest header.
        let length = bytes.uint64(at: 88)
        let shortest = UInt64(Self.minimumBytes)
        headerBytes = length > Self.longestBytes ? shortest : (max(length, shortest) + 7) & ~7
        arenaBytes = bytes.uint64(at: 96)
        tailObject = bytes.uint64(at: 136)
        entryCount = bytes.uint64(at: 152)
        tailSeqnum = bytes.uint64(at: 160)
        headSeqnum = bytes.uint64(at: 168)
        entryArray = bytes.uint64(at: 176)
        headRealtimeMicroseconds = bytes.uint64(at: 184)
        tailRealtimeMicroseconds = bytes.uint64(at: 192)
    }

    /// The sequence numbers from the first entry to the last; `nil` when there is none, or they are not plausible.
    var seqnums: ClosedRange<UInt64>? {
        entryCount > 0 && headSeqnum <= tailSeqnum ? headSeqnum...tailSeqnum : nil
    }

    var layout: FileLayout { FileLayout(isCompact: flags.contains(.compact)) }

    /// The state of a file that journald has finished.
    static let archived: UInt8 = 2
    /// "LPKSHHRH"
    private static let signature: UInt64 = 0x4852_4848_534B_504C
}

enum FormatError: Error, Equatable {
    /// The file has no header yet: try again later.
    case incomplete
    /// Entries are missing at its end, and it seems to be written at the moment: try again later.
    case unfinished
    case notAJournal
    /// The path is not a file but something else, such as "a pipe".
    case notAFile(String)
    /// The file has flags that this reader does not know.
    case unsupported(flags: UInt32)
    /// The path now has another file.
    case replaced
    case io(errno: Int32)

    /// Whether the file may become readable, when permissions change, the disk works again, or it is written to its end.
    var mayPass: Bool {
        switch self {
        case .io, .unfinished: true
        case .incomplete, .notAJournal, .notAFile, .unsupported, .replaced: false
        }
    }

    /// Whether somebody is just writing the file.
    var isOfNewFile: Bool { self == .incomplete || self == .unfinished }
}
