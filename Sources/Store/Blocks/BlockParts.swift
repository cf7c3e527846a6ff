/// Assembles the data of a block: the length of the directory, the directory, which says where the parts are, and the
/// parts.
struct BlockParts {
    private let frames: BlockFrames
    private var directory = ByteWriter()
    private var data: [UInt8] = []
    private var part = ByteWriter()

    init(_ frames: BlockFrames) { self.frames = frames }

    mutating func append(_ section: BlockSection, count: Int, _ write: (inout ByteWriter) -> Void) {
        part.removeAll()
        write(&part)
        let start = data.count
        let form = frames.append(part.bytes, to: &data)
        directory.append(number: section.number << 2 | form.rawValue)
        directory.append(number: count)
        directory.append(number: part.bytes.count)
        directory.append(number: data.count - start)
    }

    /// Appends a number for each event.
    mutating func append(_ section: BlockSection, _ numbers: [Int64]) {
        append(section, count: numbers.count) { IntegerColumn.append(numbers, to: &$0) }
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

/// The number of a part of a block's data. Each part is packed separately, so that it can be read without unpacking
/// the others.
struct BlockSection: Hashable {
    var number: Int

    private init(_ number: Int) { self.number = number }

    static let most = 18 + PayloadSplitter.capacity.paths

    static let ids = Self(0)
    /// The times, in microseconds since 1970.
    static let times = Self(1)
    /// The time at which the boot began, computed from each event: its time less its microseconds since the boot.
    static let bootTimes = Self(2)
    static let seqnums = Self(3)
    static let entryHashes = Self(4)
    static let ordinals = Self(5)
    /// The differences between each pid and that of the sender's previous event in the block, starting at 0; -1
    /// stands for an event without a pid.
    static let pids = Self(6)
    static let levels = Self(7)
    /// The row of each event's sender in `senderTable`.
    static let senders = Self(8)
    static let senderTable = Self(9)
    /// The row of each event's kind in `kindTable`.
    static let kinds = Self(10)
    static let kindTable = Self(11)
    /// `FindingsText`, empty for an event without findings.
    static let findings = Self(12)
    /// The paths and templates of the payloads.
    static let shapes = Self(13)
    /// The template of each payload, see `RecentTemplates`.
    static let templates = Self(14)
    /// The payloads without a template.
    static let whole = Self(15)

    /// What programs say about events, see `ProgramCode`; missing if they say nothing.
    static let program = Self(16)
    /// The time of each event less the time that its program says, 0 where it says none; missing with `program`.
    static let programTimes = Self(17)
    /// `StoredText`, empty for an event without a text; missing if none has one.
    static let texts = Self(18)

    /// Returns the section with the values of a path.
    static func values(ofPath path: Int) -> Self { Self(18 + path) }
}

/// Unpacked bytes, followed by the checksums of their pieces, which detect damage. A piece can be read without the others.
enum PlainPart {
    /// The size of a piece; only the last one may be smaller.
    private static let pieceBytes = 1024
    /// As long as `HeldBytes.padding`, at least.
    private static let checksumBytes = 8

    /// - Parameter seed: the checksum of other data that the checksums are to cover as well.
    static func append(_ bytes: [UInt8], to output: inout [UInt8], seed: UInt64 = 0) {
        output += bytes
        bytes.withUnsafeBytes { bytes in
            for piece in 0..<pieces(of: bytes.count) {
                let content = UnsafeRawBufferPointer(rebasing: bytes[range(of: piece, in: bytes.count)])
                let checksum = checksum(content, of: piece, seed: seed)
                withUnsafeBytes(of: checksum.littleEndian) { output.append(contentsOf: $0) }
            }
        }
    }

    /// - Returns: the bytes without the checksums.
    static func checked(
        _ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0
    ) throws(BlockDamage) -> UnsafeRawBufferPointer {
        let pieces = (bytes.count + pieceBytes + checksumBytes - 1) / (pieceBytes + checksumBytes)
        let count = bytes.count - pieces * checksumBytes
        guard pieces > 0, count >= 0, pieces == self.pieces(of: count) else { throw BlockDamage("it is truncated") }
        for piece in 0..<pieces {
            try check(
                UnsafeRawBufferPointer(rebasing: bytes[range(of: piece, in: count)]), of: piece, seed: seed,
                UnsafeRawBufferPointer(rebasing: bytes[checksum(of: piece, behind: count)]))
        }
        return UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }

    /// - Parameter stored: its checksum.
    static func check(
        _ content: UnsafeRawBufferPointer, of piece: Int, seed: UInt64 = 0, _ stored: UnsafeRawBufferPointer
    ) throws(BlockDamage) {
        guard UInt64(littleEndian: stored.loadUnaligned(as: UInt64.self)) == checksum(content, of: piece, seed: seed)
        else { throw BlockDamage("its checksum does not match") }
    }

    /// Returns how many bytes fit into a size with their checksums; of a few sizes, eight fewer than fit.
    static func content(of size: Int) -> Int { size - pieces(of: size) * checksumBytes }

    /// Returns how many pieces there are; no bytes are one.
    private static func pieces(of count: Int) -> Int { max(1, (count + pieceBytes - 1) / pieceBytes) }

    /// Returns the piece that a byte is in.
    static func piece(of place: Int) -> Int { place / pieceBytes }

    /// Returns the range of a piece.
    static func range(of piece: Int, in count: Int) -> Range<Int> {
        piece * pieceBytes..<min(count, (piece + 1) * pieceBytes)
    }

    /// Returns the range of the checksum of a piece.
    static func checksum(of piece: Int, behind count: Int) -> Range<Int> {
        count + piece * checksumBytes..<count + (piece + 1) * checksumBytes
    }

    private static func checksum(_ content: UnsafeRawBufferPointer, of piece: Int, seed: UInt64) -> UInt64 {
        ByteHash.checksum(content, seed: seed &+ UInt64(piece))
    }
}
