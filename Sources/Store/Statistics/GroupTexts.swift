/// The texts of a group as one run of bytes: for each key two bytes with the length of its text plus 1, or 0 if it has none, and
/// the text.
enum GroupTexts {
    /// Longer texts are cut.
    static let longest = 512
    /// The bytes in front of each text.
    private static let lengthBytes = 2

    /// About how many bytes a text of a table takes.
    static func bytesEach(_ texts: ByteTable) -> Int {
        lengthBytes + min(longest, texts.bytes.count / max(1, texts.count) + 1)
    }

    static func append(_ text: UnsafeRawBufferPointer, to run: inout [UInt8]) {
        guard text.count > longest else { return appendShort(text, to: &run) }
        var end = longest
        while end > 0, text[end] & 0xC0 == 0x80 { end -= 1 }
        // The number distinguishes texts that begin in the same way.
        let mark = " … (\(text.count) bytes, \(String(ByteHash.hash(text), radix: 16)))"
        (Array(text[..<end]) + Array(mark.utf8)).withUnsafeBytes { appendShort($0, to: &run) }
    }

    @inline(__always)
    private static func appendShort(_ text: UnsafeRawBufferPointer, to run: inout [UInt8]) {
        appendLength(text.count + 1, to: &run)
        run.append(contentsOf: text)
    }

    static func appendNone(to run: inout [UInt8]) { appendLength(0, to: &run) }

    @inline(__always)
    private static func appendLength(_ length: Int, to run: inout [UInt8]) {
        run.append(UInt8(truncatingIfNeeded: length))
        run.append(UInt8(truncatingIfNeeded: length >> 8))
    }

    /// Returns the text of a key; `nil` if there is none.
    static func text(_ key: Int, of run: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = run
        for _ in 0..<key { _ = takeText(&rest) }
        return takeText(&rest)
    }

    private static func takeText(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
        rest = rest.dropFirst(lengthBytes)
        guard length > 0 else { return nil }
        defer { rest = rest.dropFirst(length - 1) }
        return rest.prefix(length - 1)
    }

    /// Orders runs of the same keys by the first texts that differ; none is before the others.
    static func isBefore(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
        var (one, other) = (one, other)
        while !one.isEmpty, !other.isEmpty {
            let (first, second) = (takeText(&one), takeText(&other))
            guard let first, let second else {
                if first == nil, second == nil { continue }
                return first == nil
            }
            if first != second { return first.lexicographicallyPrecedes(second) }
        }
        return false
    }
}

/// Groups and their sums.
struct GroupList {
    private var bytes: [UInt8] = []
    private var groups: [(end: Int, hash: UInt64, sum: GroupCounts.Sum)] = []

    /// - Parameter bytesEach: about how many bytes a group's texts have.
    init(capacity: Int, bytesEach: Int) {
        // What grows beyond what it needs is new memory for each block.
        bytes.reserveCapacity(capacity * bytesEach)
        groups.reserveCapacity(capacity)
    }

    /// - Parameter write: writes the texts of the group, and returns a hash of them.
    @inline(__always)
    mutating func append(_ sum: GroupCounts.Sum, _ write: (inout [UInt8]) -> UInt64) {
        let hash = write(&bytes)
        groups.append((bytes.count, hash, sum))
    }

    @inline(__always)
    func forEach(_ body: (UnsafeRawBufferPointer, UInt64, GroupCounts.Sum) -> Void) {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            for (end, hash, sum) in groups {
                body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), hash, sum)
                start = end
            }
        }
    }
}
