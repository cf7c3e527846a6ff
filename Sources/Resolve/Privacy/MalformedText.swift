import Model

internal import CLinux
import JSON

/// Searches for a parameter in bytes that are not a JSON object. If a payload was cut or split, or a quote is missing,
/// the text after a private name may still be personal data.
enum MalformedText {
    /// The length above which quoted text is not a name, even with escapes.
    private static let longestQuotedName = 512
    /// The most quotes, backslashes and brackets after a name, however often it was embedded in a string. Without a limit, a text
    /// of nothing but quotes would take quadratic time.
    private static let longestQuotes = 64

    /// Calls `body` with the start of each value that has a wanted name, quoted or not, until it returns `false`: after `name:`,
    /// `"name" :`, `'name'=`, `[name] =`, `name[0]=`, `name ->`. The end of the value cannot be determined in such bytes.
    static func forEachValue(
        in bytes: UnsafeRawBufferPointer, where isWanted: (UnsafeRawBufferPointer) -> Bool, _ body: (Int) -> Bool
    ) {
        var at = 0
        while at < bytes.count {
            if bytes[at].isWordByte {
                let end = bytes[at...].firstIndex { !$0.isWordByte } ?? bytes.count
                let name = UnsafeRawBufferPointer(rebasing: bytes[at..<end])
                if let value = value(in: bytes, behind: end), isWanted(name), !body(value) { return }
                at = end
            } else if let end = endOfEscape(in: bytes, at: at) {
                at = end
            } else {
                if bytes[at] == UInt8(ascii: "\""), let value = value(in: bytes, quotedAt: at, isWanted), !body(value) {
                    return
                }
                at += 1
            }
        }
    }

    /// Calls `body` with the start of each value behind a name, wherever the name stands.
    static func forEachValue(in bytes: UnsafeRawBufferPointer, of name: [UInt8], _ body: (Int) -> Void) {
        var at = 0
        while at < bytes.count, let base = bytes.baseAddress,
            let found = memmem(base + at, bytes.count - at, name, name.count)
        {
            at = UnsafeRawPointer(found) - base + name.count
            if let value = value(in: bytes, behind: at) { body(value) }
        }
    }

    /// Returns the same for a name with escapes, which begins with the quote at `start`.
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
        at = skip(in: bytes, from: at, to: end, isQuote)
        // `name[0].x`, `name[x][]`, `name.x`. What stands in brackets may be a part of the value.
        var (brackets, hasSteps) = (Int?.none, false)
        while at < end {
            if bytes[at] == UInt8(ascii: "["), let closed = bytes[at..<end].firstIndex(of: UInt8(ascii: "]")) {
                brackets = brackets ?? at
                at = closed + 1
            } else if bytes[at] == UInt8(ascii: "."), at + 1 < end, bytes[at + 1].isWordByte {
                hasSteps = true
                at = bytes[(at + 1)..<end].firstIndex { !$0.isWordByte } ?? end
            } else {
                break
            }
            at = skip(in: bytes, from: at, to: end, isQuote)
        }
        at = skip(in: bytes, from: at, to: bytes.count, isSpace)
        guard at < bytes.count else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "="): at += 1
        // mail.example.com: is a host.
        case _ where hasSteps && brackets == nil: return nil
        case UInt8(ascii: ":"): at += 1
        case UInt8(ascii: "-") where at + 1 < bytes.count && bytes[at + 1] == UInt8(ascii: ">"): at += 2
        default: return nil
        }
        return brackets ?? skip(in: bytes, from: at, to: bytes.count, isSpace)
    }

    /// Returns the place behind such bytes, and sequences for terminals among them.
    private static func skip(
        in bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, _ isSkipped: (UInt8) -> Bool
    ) -> Int {
        var at = start
        while at < end, let next = isSkipped(bytes[at]) ? at + 1 : endOfEscape(in: bytes, at: at) { at = next }
        return at
    }

    /// Returns the end of a sequence for terminals, as colours have it: ESC[36m, ESC(B.
    /// - Returns: `nil` if there is none at this place.
    private static func endOfEscape(in bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
        guard bytes[start] == 0x1B, start + 2 < bytes.count else { return nil }
        switch bytes[start + 1] {
        case UInt8(ascii: "["):
            let end = bytes[(start + 2)...].firstIndex { !(0x30...0x3F).contains($0) }
            return end.flatMap { (0x40...0x7E).contains(bytes[$0]) ? $0 + 1 : nil }
        case UInt8(ascii: "("), UInt8(ascii: ")"): return start + 3
        default: return nil
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "]"),
            UInt8(ascii: ")"):
            true
        default: false
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
