/// One line of a definition file, without its line break and with spaces in place of tabs.
struct SourceLine {
    /// The line's number, from 1.
    let number: Int
    /// The number of bytes that were removed from its beginning, with tabs expanded.
    private(set) var column: Int = 0
    private(set) var text: ArraySlice<UInt8>

    func dropping(_ count: Int) -> SourceLine {
        SourceLine(number: number, column: column + count, text: text.dropFirst(count))
    }

    var string: String { String(decoding: text, as: UTF8.self) }

    /// The number of spaces at its beginning.
    var indentation: Int { text.prefix { $0 == UInt8(ascii: " ") }.count }

    /// Whether it consists only of spaces; a full-width space is text.
    var isBlank: Bool { text.allSatisfy { $0 == UInt8(ascii: " ") } }

    /// Splits a file at LF, CR or CRLF. A byte order mark is skipped.
    static func lines(of bytes: [UInt8]) -> [SourceLine] {
        var lines: [SourceLine] = []
        lines.reserveCapacity(bytes.count / 24)
        var start = start(of: bytes)
        while start < bytes.count {
            let end = end(of: start, in: bytes)
            lines.append(SourceLine(number: lines.count + 1, text: bytes[start..<end]))
            start = next(after: end, in: bytes)
        }
        return lines
    }

    /// Returns the start of the first line.
    static func start(of bytes: [UInt8]) -> Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// Returns the end of the line that begins at `start`.
    static func end(of start: Int, in bytes: [UInt8]) -> Int {
        bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }

    /// Returns the start of the line after the one that ends at `end`.
    static func next(after end: Int, in bytes: [UInt8]) -> Int {
        let isCRLF = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
        return min(end + (isCRLF ? 2 : 1), bytes.count)
    }

    /// The line with spaces in place of tabs, up to the next multiple of four columns.
    var expandingTabs: SourceLine {
        guard text.contains(UInt8(ascii: "\t")) else { return self }
        var expanded: [UInt8] = []
        for byte in text {
            if byte == UInt8(ascii: "\t") {
                repeat { expanded.append(UInt8(ascii: " ")) } while expanded.count % 4 != 0
            } else {
                expanded.append(byte)
            }
        }
        return SourceLine(number: number, text: expanded[...])
    }
}
