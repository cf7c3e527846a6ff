/// The replacement for a value: a JSON string. Only in stored payloads it is certain to be a placeholder, since a
/// sender may write the same text.
package enum Placeholder {
    package static let hidden = Array(#""<private>""#.utf8)
    /// The replacement for a whole line.
    package static let hiddenLine = Array("<private>".utf8)
    private static let hashStart = Array(#""<hash:"#.utf8)
    private static let hashEnd = Array(#">""#.utf8)
    package static let hashBytes = 16
    package static let hashCount = hashStart.count + 2 * hashBytes + hashEnd.count

    /// Whether a value, an object or a list contains a placeholder.
    package static func isWithin(_ text: UnsafeRawBufferPointer) -> Bool {
        text.indices.contains { start in
            guard text[start] == UInt8(ascii: "\"") else { return false }
            return [hidden.count, hashCount].contains { count in
                start + count <= text.count && isOne(UnsafeRawBufferPointer(rebasing: text[start..<start + count]))
            }
        }
    }

    /// Whether values may have been replaced in, or removed from, a text of any format.
    package static func mayBeWithin(_ text: [UInt8]) -> Bool {
        text.contains(hiddenLine) || text.contains(hashStart.dropFirst())
    }

    /// Whether a text, without the quotes, was replaced sufficiently.
    package static func isOne(_ content: [UInt8], _ kind: Privacy) -> Bool {
        let quoted = [UInt8(ascii: "\"")] + content + [UInt8(ascii: "\"")]
        return quoted.withUnsafeBytes { kind == .private ? $0.elementsEqual(hidden) : isOne($0) }
    }

    /// Whether a value is a placeholder.
    package static func isOne(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.elementsEqual(hidden) { return true }
        return text.count == hashCount && text.starts(with: hashStart)
            && text.suffix(hashEnd.count).elementsEqual(hashEnd)
            && text[hashStart.count..<text.count - hashEnd.count].allSatisfy {
                $0.isDigit || (0x61...0x66).contains($0)
            }
    }

    /// Returns the replacement for a value.
    /// - Parameter code: the first `hashBytes` bytes of its keyed hash.
    package static func hash(_ code: some Sequence<UInt8>) -> [UInt8] {
        var result = hashStart
        for byte in code {
            for digit in [byte >> 4, byte & 15] { result.append(hexadecimalDigit(UInt64(digit))) }
        }
        return result + hashEnd
    }
}

extension Privacy {
    /// What takes the place of a value that was read from a stored payload, and may have been replaced already.
    /// - Parameter hash: returns what is stored instead of a hashed value.
    package func replacement(of value: ExactString, hash: (String) -> String) -> ExactString {
        switch self {
        case .public: value
        case .hash: value.isPlaceholder ? value : ExactString(hash(value.text))
        case .private: ExactString(String(decoding: Placeholder.hiddenLine, as: UTF8.self))
        }
    }
}

extension ExactString {
    /// Whether a value is a placeholder from a payload, which every client can see.
    var isPlaceholder: Bool { Placeholder.isOne(Array(utf8), .hash) }
}
