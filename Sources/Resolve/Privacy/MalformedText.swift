import JSON

/// Looks for a parameter in bytes that are no JSON object: where a payload was cut or split, or a quote is missing, what
/// follows the name is still somebody's data.
enum MalformedText {
    /// Longer text between quotes is no name, however it is escaped.
    private static let longestQuotedName = 512
    /// Nor are there more quotes and backslashes behind one, however often it was put into a string: without a limit,
    /// nothing but quotes would take time as the square of their number.
    private static let longestQuotes = 64

    /// Where the first value begins whose name, quoted or not, is wanted: behind `name:`, `"name" :`, `'name'=`. Where it
    /// ends cannot be told of such bytes.
    static func firstValue(
        in bytes: UnsafeRawBufferPointer, where isWanted: (UnsafeRawBufferPointer) -> Bool
    ) -> Int? {
        var at = 0
        while at < bytes.count {
            if isWordByte(bytes[at]) {
                let end = bytes[at...].firstIndex { !isWordByte($0) } ?? bytes.count
                let name = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
                if let value = value(in: bytes, behind: end), isWanted(name) { return value }
                at = end
            } else {
                if bytes[at] == UInt8(ascii: "\""), let value = value(in: bytes, quotedAt: at, isWanted) {
                    return value
                }
                at += 1
            }
        }
        return nil
    }

    /// The same of a name with escapes, which begins with the quote at `start`.
    private static func value(
        in bytes: UnsafeRawBufferPointer, quotedAt start: Int, _ isWanted: (UnsafeRawBufferPointer) -> Bool
    ) -> Int? {
        let text = bytes[(start + 1)...].prefix(longestQuotedName)
        guard let end = text.firstIndex(of: UInt8(ascii: "\"")), text[..<end].contains(UInt8(ascii: "\\")),
            let value = value(in: bytes, behind: end)
        else { return nil }
        let name = JSONScanner.unescape(UnsafeRawBufferPointer(rebasing: bytes[start + 1..<end]))
        return name.withUnsafeBytes(isWanted) ? value : nil
    }

    private static func value(in bytes: UnsafeRawBufferPointer, behind name: Int) -> Int? {
        var at = name
        let end = min(bytes.count, name + longestQuotes)
        while at < end, isQuote(bytes[at]) { at += 1 }
        at = skipSpace(in: bytes, from: at)
        guard at < bytes.count, bytes[at] == UInt8(ascii: ":") || bytes[at] == UInt8(ascii: "=") else { return nil }
        return skipSpace(in: bytes, from: at + 1)
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "`"): true
        default: false
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func skipSpace(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        while at < bytes.count, bytes[at] == 0x20 || (0x09...0x0D).contains(bytes[at]) { at += 1 }
        return at
    }
}
