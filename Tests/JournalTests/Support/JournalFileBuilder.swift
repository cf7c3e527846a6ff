import CLZ4
import CLZMA
import CZstd
import Model
import Testing

@testable import Journal

/// Makes journal files as journald does, byte by byte: also those that the journald of this machine no longer writes.
struct JournalFileBuilder {
    struct Options: CustomTestStringConvertible, Sendable {
        var compression: FieldCompression?
        var isKeyed = true
        var isCompact = false
        /// journald sorts the references of an entry, but not of one that it copies from /run to /var.
        var isFlushed = false

        static let all =
            [FieldCompression?.none, .xz, .lz4, .zstd].flatMap { compression in
                [(true, true), (true, false), (false, true), (false, false)].map {
                    Options(compression: compression, isKeyed: $0, isCompact: $1)
                }
            } + [Options(isFlushed: true), Options(compression: .zstd, isCompact: true, isFlushed: true)]

        var testDescription: String {
            "\(compression.map { "\($0)" } ?? "plain")\(isKeyed ? ", keyed" : "")\(isCompact ? ", compact" : "")\(isFlushed ? ", flushed" : "")"
        }
    }

    struct Entry: Equatable {
        var seqnum: UInt64
        var realtimeMicroseconds: UInt64
        var monotonicMicroseconds: UInt64
        var bootID: ID128
        /// Each is `NAME=value`.
        var fields: [[UInt8]]
    }

    static let headerBytes = 272
    private static let compressedFrom = 512

    let options: Options
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    private let fileID: ID128
    private var fieldOffsets: [[UInt8]: Int] = [:]
    /// The last array of each field, by the field's place.
    private var lastLinks: [Int: Int] = [:]
    private var arrays: [(offset: Int, capacity: Int, used: Int)] = []
    private var objects: [(kind: UInt8, place: Range<Int>)] = []
    private var lastObject = 0

    /// - Parameters:
    ///   - number: distinguishes this file from others.
    ///   - seqnumID: distinguishes its counter from others.
    init(_ options: Options = Options(), number: UInt64 = 0, seqnumID: UInt64 = 4) {
        self.options = options
        fileID = ID128(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210 ^ number)
        bytes = [UInt8](repeating: 0, count: Self.headerBytes)
        bytes.replaceSubrange(0..<8, with: Array("LPKSHHRH".utf8))
        var flags: FileHeader.IncompatibleFlags = []
        if options.isKeyed { flags.insert(.keyedHash) }
        if options.isCompact { flags.insert(.compact) }
        switch options.compression {
        case .xz: flags.insert(.compressedXZ)
        case .lz4: flags.insert(.compressedLZ4)
        case .zstd: flags.insert(.compressedZstd)
        case nil: break
        }
        set(flags.rawValue, at: 12)
        bytes[16] = FileHeader.archived
        set(fileID, at: 24)
        set(ID128(high: 1, low: 2), at: 40)
        set(ID128(high: 3, low: seqnumID), at: 72)
        set(UInt64(Self.headerBytes), at: 88)
        for (kind, place) in [(UInt8(5), 120), (4, 104)] {
            let table = object(kind, body: [UInt8](repeating: 0, count: 16 * 32))
            set(UInt64(table + 16), at: place)
            set(UInt64(16 * 32), at: place + 8)
        }
    }

    /// An entry of which only the fields matter.
    /// - Parameter time: in microseconds since 1970.
    mutating func add(_ fields: [[UInt8]], seqnum: UInt64? = nil, at time: UInt64? = nil) {
        let number = seqnum ?? UInt64(entries.count + 1)
        add(
            Entry(
                seqnum: number, realtimeMicroseconds: time ?? 1_700_000_000_000_000 + number,
                monotonicMicroseconds: number,
                bootID: ID128(high: 5, low: 6), fields: fields))
    }

    /// - Parameter isLinked: `false` leaves it half-written, as journald does in a full file.
    mutating func add(_ entry: Entry, isLinked: Bool = true) {
        var sorted = entry
        sorted.fields = entry.fields.sorted()
        entries.append(sorted)
        var items: [(offset: Int, hash: UInt64)] = []
        var xorHash: UInt64 = 0
        for field in entry.fields {
            items.append((add(field), hash(field)))
            xorHash ^= jenkins(field)
        }
        items = Dictionary(items.map { ($0.offset, $0) }, uniquingKeysWith: { one, _ in one }).values
            .sorted { options.isFlushed ? $0.hash < $1.hash : $0.offset < $1.offset }
        var body: [UInt8] = []
        body += Self.little(entry.seqnum) + Self.little(entry.realtimeMicroseconds)
        body += Self.little(entry.monotonicMicroseconds) + Self.bytes(of: entry.bootID) + Self.little(xorHash)
        for item in items {
            body +=
                options.isCompact
                ? Self.little(UInt32(item.offset)) : Self.little(UInt64(item.offset)) + Self.little(item.hash)
        }
        let place = object(3, body: body)
        append(toArrays: place)
        if isLinked {
            for item in items { link(place, to: item.offset) }
        }
        setHeader(for: entry)
    }

    /// Names an entry among those that have a field, each but the first in an array of its own.
    private mutating func link(_ entry: Int, to field: Int) {
        let count = uint64(at: field + 56)
        if count == 0 {
            set(UInt64(entry), at: field + 40)
        } else {
            let item = options.isCompact ? Self.little(UInt32(entry)) : Self.little(UInt64(entry))
            let array = object(6, body: [UInt8](repeating: 0, count: 8) + item)
            set(UInt64(array), at: lastLinks[field].map { $0 + 16 } ?? field + 48)
            lastLinks[field] = array
        }
        set(count + 1, at: field + 56)
    }

    /// Where the objects of a kind are, without the padding behind them.
    func places(of kind: ObjectHead.Kind) -> [Range<Int>] {
        objects.filter { $0.kind == kind.rawValue }.map(\.place)
    }

    private mutating func setHeader(for entry: Entry) {
        set(UInt64(bytes.count - Self.headerBytes), at: 96)
        set(UInt64(lastObject), at: 136)
        set(UInt64(objects.count), at: 144)
        set(UInt64(entries.count), at: 152)
        set(entry.seqnum, at: 160)
        set(entry.realtimeMicroseconds, at: 192)
        set(entry.monotonicMicroseconds, at: 200)
        set(entry.bootID, at: 56)
        set(UInt64(fieldOffsets.count), at: 208)
        set(UInt64(arrays.count), at: 232)
        guard entries.count == 1 else { return }
        set(entry.seqnum, at: 168)
        set(entry.realtimeMicroseconds, at: 184)
    }

    private mutating func append(toArrays place: Int) {
        if arrays.last.map({ $0.used == $0.capacity }) ?? true {
            let capacity = arrays.isEmpty ? 4 : arrays.reduce(0) { $0 + $1.capacity } * 2
            let item = options.isCompact ? 4 : 8
            let array = object(6, body: [UInt8](repeating: 0, count: 8 + capacity * item))
            if let last = arrays.last { set(UInt64(array), at: last.offset + 16) } else { set(UInt64(array), at: 176) }
            arrays.append((array, capacity, 0))
        }
        let last = arrays.count - 1
        if options.isCompact {
            set(UInt32(place), at: arrays[last].offset + 24 + 4 * arrays[last].used)
        } else {
            set(UInt64(place), at: arrays[last].offset + 24 + 8 * arrays[last].used)
        }
        arrays[last].used += 1
    }

    private mutating func add(_ field: [UInt8]) -> Int {
        if let known = fieldOffsets[field] { return known }
        var flags: UInt8 = 0
        var stored = field
        if let compression = options.compression, field.count >= Self.compressedFrom {
            stored = Self.compressed(field, compression)
            flags = compression.rawValue
        }
        var body = Self.little(hash(field)) + [UInt8](repeating: 0, count: options.isCompact ? 48 : 40)
        body += stored
        fieldOffsets[field] = object(1, flags: flags, body: body)
        return fieldOffsets[field] ?? 0
    }

    /// - Returns: where it is.
    private mutating func object(_ kind: UInt8, flags: UInt8 = 0, body: [UInt8]) -> Int {
        let place = bytes.count
        bytes += [kind, flags, 0, 0, 0, 0, 0, 0] + Self.little(UInt64(16 + body.count)) + body
        bytes += [UInt8](repeating: 0, count: (8 - bytes.count % 8) % 8)
        objects.append((kind, place..<place + 16 + body.count))
        lastObject = place
        return place
    }

    // MARK: bytes

    private func hash(_ field: [UInt8]) -> UInt64 {
        guard options.isKeyed else { return jenkins(field) }
        var hash = SipHash(key: fileID)
        field.withUnsafeBytes { hash.update($0.bytes) }
        return hash.finish()
    }

    private func jenkins(_ field: [UInt8]) -> UInt64 {
        var hash = JenkinsHash(length: field.count)
        field.withUnsafeBytes { hash.update($0.bytes) }
        return hash.finish()
    }

    private static func compressed(_ field: [UInt8], _ compression: FieldCompression) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: field.count + field.count / 8 + 4096)
        var count = 0
        switch compression {
        case .zstd: count = ZSTD_compress(&output, output.count, field, field.count, 1)
        case .xz: lzma_easy_buffer_encode(1, LZMA_CHECK_NONE, nil, field, field.count, &output, &count, output.count)
        case .lz4:
            let room = output.count - 8
            count = output.withUnsafeMutableBytes { output in
                field.withUnsafeBytes { field in
                    output.storeBytes(of: UInt64(field.count).littleEndian, as: UInt64.self)
                    return 8
                        + Int(
                            LZ4_compress_default(
                                field.baseAddress?.assumingMemoryBound(to: CChar.self),
                                output.baseAddress.map { ($0 + 8).assumingMemoryBound(to: CChar.self) },
                                CInt(field.count), CInt(room)))
                }
            }
        }
        return Array(output[..<count])
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func bytes(of id: ID128) -> [UInt8] {
        little(id.high.byteSwapped) + little(id.low.byteSwapped)
    }

    private mutating func set(_ number: some FixedWidthInteger, at place: Int) {
        let new = Self.little(number)
        bytes.replaceSubrange(place..<place + new.count, with: new)
    }

    private mutating func set(_ id: ID128, at place: Int) {
        bytes.replaceSubrange(place..<place + 16, with: Self.bytes(of: id))
    }

    private func uint64(at place: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    }
}
