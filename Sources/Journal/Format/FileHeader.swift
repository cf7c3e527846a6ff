import Model

/// The head of a journal file: who it belongs to, and how far it goes.
///
/// All numbers in a journal file are little endian.
/// - Source: https://systemd.io/JOURNAL_FILE_FORMAT/
struct FileHeader: Sendable, Hashable {
    /// What every version of journald has written.
    static let minimumBytes = 208
    /// No version will have a longer one.
    private static let longestBytes: UInt64 = 1024
    /// As much as is used of it. A header may be longer: `headerBytes`.
    static let maximumBytes = 272

    enum State: UInt8, Sendable { case offline, online, archived }

    /// What a reader must understand to make sense of a file.
    struct IncompatibleFlags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32
        init(rawValue: UInt32) { self.rawValue = rawValue }

        static let compressedXZ = IncompatibleFlags(rawValue: 1 << 0)
        static let compressedLZ4 = IncompatibleFlags(rawValue: 1 << 1)
        /// Fields are hashed with SipHash and the file's id as its key, else with Jenkins' hash.
        static let keyedHash = IncompatibleFlags(rawValue: 1 << 2)
        static let compressedZstd = IncompatibleFlags(rawValue: 1 << 3)
        /// Offsets within entries and arrays have four bytes instead of eight.
        static let compact = IncompatibleFlags(rawValue: 1 << 4)
        static let known: IncompatibleFlags = [
            .compressedXZ, .compressedLZ4, .keyedHash, .compressedZstd, .compact,
        ]
    }

    var flags: IncompatibleFlags
    /// `nil`: a state that no version known has.
    var state: State?
    /// Stays when rotation renames the file; a copy has the same.
    var fileID: ID128
    var machineID: ID128
    /// Which counter the sequence numbers come from. Written with the first entry.
    var seqnumID: ID128
    /// Where the first object begins.
    var headerBytes: UInt64
    var arenaBytes: UInt64
    var tailObject: UInt64
    var entryCount: UInt64
    var headSeqnum: UInt64
    var tailSeqnum: UInt64
    /// The first of the arrays that name every entry; 0 when there is none yet.
    var entryArray: UInt64
    var headRealtimeMicroseconds: UInt64
    var tailRealtimeMicroseconds: UInt64

    /// Reads the beginning of a file.
    /// - Throws: `FormatError`.
    init(_ bytes: RawSpan) throws(FormatError) {
        // journald makes the file first and writes its header a moment later.
        guard bytes.byteCount >= Self.minimumBytes else { throw .incomplete }
        let signature = bytes.uint64(at: 0)
        guard signature != 0 else { throw .incomplete }
        guard signature == Self.signature else { throw .notAJournal }
        flags = IncompatibleFlags(rawValue: bytes.uint32(at: 12))
        guard flags.isSubset(of: .known) else {
            throw .unsupported(flags: flags.subtracting(.known).rawValue)
        }
        state = State(rawValue: bytes.uint8(at: 16))
        fileID = ID128(bytes, at: 24)
        machineID = ID128(bytes, at: 40)
        seqnumID = ID128(bytes, at: 72)
        // Where it is damaged, what lies behind the shortest header is looked through for objects.
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

    /// From the first entry to the last; `nil` when there is none, or they make no sense.
    var seqnums: ClosedRange<UInt64>? {
        entryCount > 0 && headSeqnum <= tailSeqnum ? headSeqnum...tailSeqnum : nil
    }

    var layout: FileLayout { FileLayout(isCompact: flags.contains(.compact)) }

    /// "LPKSHHRH"
    private static let signature: UInt64 = 0x4852_4848_534B_504C
}

enum FormatError: Error, Equatable {
    /// There is no header yet: try again later.
    case incomplete
    case notAJournal
    /// Something else has the name of one, such as "a pipe".
    case notAFile(String)
    /// Flags that this reader does not know.
    case unsupported(flags: UInt32)
    /// Another file has its name by now.
    case replaced
    case io(errno: Int32)

    /// Whether the file may be readable all the same, once somebody lets us or the disk works again.
    var mayPass: Bool { if case .io = self { true } else { false } }
}
