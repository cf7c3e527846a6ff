/// A pattern of `*` (any run of characters) and `?` (any one character), as everywhere in Gloss.
package struct Glob: Sendable, Hashable {
    package let pattern: String
    private let bytes: [UInt8]
    private let kind: Kind

    private enum Kind: Sendable, Hashable { case anything, exact, prefix, general }

    package init(_ pattern: String) {
        self.pattern = pattern
        let bytes = Array(pattern.utf8)
        let wild = bytes.indices.filter { bytes[$0] == UInt8(ascii: "*") || bytes[$0] == UInt8(ascii: "?") }
        self.bytes = bytes
        kind =
            if pattern == "*" {
                .anything
            } else if wild.isEmpty {
                .exact
            } else if wild == [bytes.count - 1] && bytes.last == UInt8(ascii: "*") {
                .prefix
            } else {
                .general
            }
    }

    /// The only text that it matches; `nil` when it may match others.
    package var exactText: String? { kind == .exact ? pattern : nil }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        switch kind {
        case .anything: true
        case .exact: text.elementsEqual(bytes)
        case .prefix: text.count >= bytes.count - 1 && text.starts(with: bytes.dropLast())
        case .general: matchesGenerally(text)
        }
    }

    /// Scans linearly: on a mismatch it returns to the last `*`, which then takes one more character.
    private func matchesGenerally(_ text: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        var pattern = 0
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "*") {
                star = (pattern, at)
                pattern += 1
            } else if pattern < bytes.count, bytes[pattern] == UInt8(ascii: "?") {
                at = characterEnd(text, at)
                pattern += 1
            } else if pattern < bytes.count, bytes[pattern] == text[at] {
                at += 1
                pattern += 1
            } else if let last = star {
                at = last.text + 1
                star = (last.pattern, at)
                pattern = last.pattern + 1
            } else {
                return false
            }
        }
        return bytes[pattern...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    /// Returns the end of the UTF-8 character at `start`, so that `?` matches one character and not one byte.
    private func characterEnd(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var end = start + 1
        while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}
