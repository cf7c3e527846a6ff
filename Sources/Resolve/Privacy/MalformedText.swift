import JSON

/// Looks for members in bytes that do not parse: where a payload was cut, or a quote is missing, what follows a key is
/// still somebody's data.
struct MalformedText {
    private let bytes: UnsafeRawBufferPointer
    /// Where the search goes on: always at or behind a quote.
    private var at = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Where the next value begins and ends whose key, wherever it stands, is wanted. Quotes may be unbalanced, so every
    /// one of them may begin a key.
    mutating func nextValue(where isWanted: (UnsafeRawBufferPointer) -> Bool) -> Range<Int>? {
        while let start = find(UInt8(ascii: "\""), from: at), let end = find(UInt8(ascii: "\""), from: start + 1) {
            at = end
            let colon = skipSpace(from: end + 1)
            guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { continue }
            let key = UnsafeRawBufferPointer(rebasing: bytes[start + 1..<end])
            let isFound =
                key.contains(UInt8(ascii: "\\")) ? JSONScanner.unescape(key).withUnsafeBytes(isWanted) : isWanted(key)
            guard isFound else { continue }
            let value = skipSpace(from: colon + 1)
            at = endOfValue(from: value)
            return value..<at
        }
        return nil
    }

    /// A string ends at a quote that something follows which may follow a string; everything else at the next comma or
    /// bracket that closes. What does not end goes on to the end.
    private func endOfValue(from start: Int) -> Int {
        guard start < bytes.count else { return bytes.count }
        if bytes[start] == UInt8(ascii: "\"") { return endOfString(from: start) }
        let isNested = bytes[start] == UInt8(ascii: "[") || bytes[start] == UInt8(ascii: "{")
        // Where a list or an object ends cannot be told where brackets and quotes may be missing.
        if isNested { return bytes.count }
        return bytes[start...].firstIndex { ",}]".utf8.contains($0) } ?? bytes.count
    }

    private func endOfString(from start: Int) -> Int {
        var next = start + 1
        while let quote = find(UInt8(ascii: "\""), from: next) {
            let follower = skipSpace(from: quote + 1)
            if bytes[quote - 1] != UInt8(ascii: "\\"), follower < bytes.count, ",}]".utf8.contains(bytes[follower]) {
                return quote + 1
            }
            next = quote + 1
        }
        return bytes.count
    }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        start < bytes.count ? bytes[start...].firstIndex(of: byte) : nil
    }

    private func skipSpace(from start: Int) -> Int {
        var at = start
        while at < bytes.count, bytes[at] == 0x20 || (0x09...0x0D).contains(bytes[at]) { at += 1 }
        return at
    }
}
