/// Writes JSON byte by byte. It escapes strings only as far as RFC 8259 requires, copies values that are JSON already
/// unchanged, and writes commas automatically.
///
/// It does not check that objects and arrays are closed or that keys have values.
package struct JSONWriter: Sendable {
    /// A value that is written later, in pieces.
    struct Deferred: Sendable {
        /// The offset in `bytes` where the value belongs.
        var offset: Int
        var value: LargeValue
    }

    /// The output so far, without deferred values.
    package var bytes: [UInt8]
    /// The size in bytes from which a `LargeValue` is deferred for `JSONPieces`; `nil` defers none.
    let minimumDeferred: Int?
    var deferred: [Deferred] = []
    var needsComma = false

    package init(bytes: [UInt8] = [], deferringFrom minimumDeferred: Int? = nil) {
        self.bytes = bytes
        self.minimumDeferred = minimumDeferred
    }

    /// The approximate size of the output in bytes, including deferred values.
    package var pendingBytes: Int { deferred.reduce(bytes.count) { $0 + $1.value.bytes.count } }

    /// Returns the output with its deferred values, and empties the writer.
    package mutating func take() -> JSONPieces {
        let pieces = JSONPieces(self)
        // The memory goes too: a client may take long to receive the output.
        bytes = []
        deferred = []
        return pieces
    }

    /// Removes the output but keeps its memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        deferred = []
        needsComma = false
    }

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Ends a line of NDJSON. The next value is a new text.
    package mutating func newline() {
        bytes.append(UInt8(ascii: "\n"))
        needsComma = false
    }

    /// Writes a key that needs no escaping.
    package mutating func key(_ key: StaticString) {
        append(quoted: UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), isKey: true)
    }

    /// Writes any key.
    @_disfavoredOverload
    package mutating func key(_ key: String) {
        var key = key
        let isPlain = key.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            guard text.isPlain else { return false }
            append(quoted: text, isKey: true)
            return true
        }
        guard !isPlain else { return }
        string(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    package mutating func string(_ string: String) {
        var string = string
        string.withUTF8 { self.string(utf8: UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string. Invalid UTF-8 is replaced by U+FFFD, as in `String(decoding:as:)`.
    package mutating func string(utf8 text: UnsafeRawBufferPointer) {
        if text.isPlain { return append(quoted: text, isKey: false) }
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Appends a key or a value that needs no escaping, in one piece.
    private mutating func append(quoted text: UnsafeRawBufferPointer, isKey: Bool) {
        let hasComma = needsComma
        bytes.append(upTo: text.count + 4) { output in
            var end = 0
            if hasComma { output[0] = UInt8(ascii: ",") }
            end += hasComma ? 1 : 0
            output[end] = UInt8(ascii: "\"")
            UnsafeMutableRawBufferPointer(rebasing: output[(end + 1)...]).copyMemory(from: text)
            end += 1 + text.count
            output[end] = UInt8(ascii: "\"")
            output[end + 1] = UInt8(ascii: ":")
            return end + (isKey ? 2 : 1)
        }
        needsComma = !isKey
    }

    package mutating func integer(_ value: some BinaryInteger) {
        separate()
        if let small = Int64(exactly: value) { append(small) } else { bytes.append(contentsOf: String(value).utf8) }
        needsComma = true
    }

    package mutating func integer(_ value: Int64) {
        separate()
        append(value)
        needsComma = true
    }

    private mutating func append(_ value: Int64) {
        withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { buffer in
            var (place, rest) = (20, value.magnitude)
            repeat {
                place -= 1
                buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if value < 0 {
                place -= 1
                buffer[place] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[place...]))
        }
    }

    /// Writes a number. JSON has no infinity and no NaN: they become `null`.
    package mutating func double(_ value: Double) {
        guard value.isFinite else { return null() }
        separate()
        bytes.append(contentsOf: value.description.utf8)
        needsComma = true
    }

    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
        needsComma = true
    }

    /// Copies a value that is JSON already.
    package mutating func raw(_ json: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Copies a value that is JSON already. This overload avoids dynamic dispatch.
    package mutating func raw(_ json: [UInt8]) {
        json.withUnsafeBytes { raw($0) }
    }

    package mutating func raw(_ json: UnsafeRawBufferPointer) {
        separate()
        bytes.append(contentsOf: json)
        needsComma = true
    }

    /// Copies members that were written before.
    /// - Parameter range: of `bytes`, from a comma to the end of a value.
    package mutating func again(_ range: Range<Int>) {
        withUnsafeTemporaryAllocation(byteCount: range.count, alignment: 1) { copy in
            bytes.withUnsafeBytes { copy.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[range])) }
            bytes.append(contentsOf: copy)
        }
        needsComma = true
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    mutating func appendEscaped(_ text: UnsafeRawBufferPointer) {
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        let end = text.count
        var start = 0
        var at = 0
        while at < end {
            if at + 8 <= end {
                let plain = StringWord.plainBytes(base + at)
                at += plain
                if plain == 8 { continue }
            }
            let byte = base[at]
            var isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            var length = 1
            if byte >= 0x80 {
                length = UTF8Sequence.length(base, from: at, end: end)
                isPlain = length > 0
                length = abs(length)
            }
            if !isPlain {
                bytes.append(contentsOf: text[start..<at])
                byte >= 0x80 ? bytes.append(contentsOf: "\u{FFFD}".utf8) : appendEscape(of: byte)
                start = at + length
            }
            at += length
        }
        bytes.append(contentsOf: text[start..<end])
    }

    private mutating func appendEscape(of byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(HexDigit.character(of: byte >> 4))
            bytes.append(HexDigit.character(of: byte & 15))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether it is ASCII that needs no escaping in a string.
    fileprivate var isPlain: Bool {
        guard let start = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var place = 0
        while place + 8 <= count {
            guard StringWord.plainBytes(start + place) == 8 else { return false }
            place += 8
        }
        while place < count {
            let byte = start[place]
            guard byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") else {
                return false
            }
            place += 1
        }
        return true
    }
}
