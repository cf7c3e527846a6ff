/// Formats valid JSON with line breaks and indents, without changing its values.
enum PrettyJSON {
    /// - Parameters:
    ///   - bytes: valid JSON; the result for other bytes is unspecified.
    ///   - margin: what each line begins with.
    static func text(_ bytes: [UInt8], margin: String = "") -> String {
        var result = Array(margin.utf8)
        result.reserveCapacity(bytes.count * 3 / 2 + 64)
        var depth = 0
        var isFresh = false
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            let end = byte == UInt8(ascii: "\"") ? endOfString(place, in: bytes) : place + 1
            defer { place = end }
            switch byte {
            case 0x09, 0x0A, 0x0D, 0x20: continue
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                if !isFresh { newLine() }
                result.append(byte)
                isFresh = false
                continue
            default: break
            }
            if isFresh { newLine() }
            isFresh = false
            result += bytes[place..<end]
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                isFresh = true
            case UInt8(ascii: ","): newLine()
            case UInt8(ascii: ":"): result.append(UInt8(ascii: " "))
            default: break
            }
        }
        return String(decoding: result, as: UTF8.self)

        func newLine() {
            result.append(UInt8(ascii: "\n"))
            result += margin.utf8
            // The depth is untrusted: a payload nested 100 levels deep must not print 100 times 100 spaces.
            for _ in 0..<min(depth, 32) { result += "  ".utf8 }
        }
    }

    /// Returns where a string ends that begins at a quote.
    private static func endOfString(_ start: Int, in bytes: [UInt8]) -> Int {
        var place = start + 1
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place + 1, bytes.count)
    }
}
