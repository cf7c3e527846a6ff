/// Puts the data of a block together: the length of the directory, which says where the parts are, and the parts.
struct BlockParts {
    private let frames: BlockFrames
    private var directory = ByteWriter()
    private var data: [UInt8] = []
    private var part = ByteWriter()

    init(_ frames: BlockFrames) { self.frames = frames }

    /// A part is packed only where that makes it smaller by a fifth: what cannot be compressed is read much faster as it is.
    mutating func append(_ section: BlockSection, count: Int, _ write: (inout ByteWriter) -> Void) {
        part.removeAll()
        write(&part)
        let (start, bytes) = (data.count, part.bytes.count)
        var size = frames.pack(part.bytes, into: &data)
        let isPacked = size * 5 < bytes * 4
        if !isPacked {
            data.removeLast(size)
            PlainPart.append(part.bytes, to: &data)
            size = data.count - start
        }
        directory.append(number: section.number << 1 | (isPacked ? 1 : 0))
        directory.append(number: count)
        directory.append(number: bytes)
        directory.append(number: size)
    }

    func finished() -> [UInt8] {
        var directory: [UInt8] = []
        PlainPart.append(self.directory.bytes, to: &directory)
        var output = ByteWriter()
        output.append(UInt64(directory.count), width: 4)
        output.append(directory)
        output.append(data)
        return output.bytes
    }
}

/// The parts of a block's data. Each is packed by itself: who wants one need not unpack the others.
struct BlockSection: Hashable {
    var number: Int

    init(number: Int) { self.number = number }

    private init(_ number: Int) { self.number = number }

    static let most = 16 + PayloadSplitter.capacity.paths

    static let ids = Self(0)
    /// Microseconds since 1970.
    static let times = Self(1)
    /// When the boot was, by each event: its time less its microseconds since the boot.
    static let bootTimes = Self(2)
    static let seqnums = Self(3)
    static let xorHashes = Self(4)
    static let ordinals = Self(5)
    /// By how much they differ from that of the sender's event before, which begin at 0; -1 where there is none.
    static let pids = Self(6)
    static let levels = Self(7)
    /// Numbers of `senderTable`.
    static let senders = Self(8)
    static let senderTable = Self(9)
    /// Numbers of `kindTable`.
    static let kinds = Self(10)
    static let kindTable = Self(11)
    /// `FindingsText`, empty where there is none.
    static let findings = Self(12)
    /// The paths and templates of payloads.
    static let shapes = Self(13)
    /// Which template each payload has, see `RecentTemplates`.
    static let templates = Self(14)
    /// Payloads without a template.
    static let whole = Self(15)

    /// The values of a path.
    static func values(ofPath path: Int) -> Self { Self(16 + path) }
}

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
