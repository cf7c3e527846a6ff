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

    /// Returns the lines of a file.
    static func lines(of bytes: [UInt8]) -> [SourceLine] {
        var lines: [SourceLine] = []
        lines.reserveCapacity(bytes.count / 24)
        for text in FileLines(bytes) { lines.append(SourceLine(number: lines.count + 1, text: text)) }
        return lines
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

/// The lines of a file, one after the other, as they are in it. They end with LF, CR or CRLF. A byte order mark is
/// skipped.
struct FileLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var start: Int
    /// The line that was returned last, and its number, from 1.
    private var last: (number: Int, text: ArraySlice<UInt8>) = (0, [])

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    mutating func next() -> ArraySlice<UInt8>? {
        guard start < bytes.count else { return nil }
        let end = bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
        let isCRLF = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
        last = (last.number + 1, bytes[start..<end])
        start = end + (isCRLF ? 2 : 1)
        return last.text
    }

    /// Returns a line that is not before the one that was returned last.
    mutating func line(_ number: Int) -> ArraySlice<UInt8> {
        while last.number < number, next() != nil {}
        return last.text
    }
}
