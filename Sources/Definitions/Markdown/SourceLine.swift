/// One line of a definition file, without its line break and with tabs made spaces.
struct SourceLine {
    /// From 1.
    let number: Int
    /// How many bytes of the line have been taken off its front.
    private(set) var column: Int
    private(set) var text: ArraySlice<UInt8>

    init(number: Int, column: Int = 0, text: ArraySlice<UInt8>) {
        self.number = number
        self.column = column
        self.text = text
    }

    func dropping(_ count: Int) -> SourceLine {
        SourceLine(number: number, column: column + count, text: text.dropFirst(count))
    }

    var string: String { String(decoding: text, as: UTF8.self) }

    /// How many spaces it begins with.
    var indentation: Int { text.prefix { $0 == UInt8(ascii: " ") }.count }

    /// Nothing but spaces; a full-width space is text.
    var isBlank: Bool { text.allSatisfy { $0 == UInt8(ascii: " ") } }

    /// Splits a file at LF, CR or CRLF and expands tabs to multiples of four columns, as Redcarpet does; a byte order
    /// mark is skipped.
    static func lines(of bytes: [UInt8]) -> [SourceLine] {
        var lines: [SourceLine] = []
        lines.reserveCapacity(bytes.count / 24)
        var start = start(of: bytes)
        while start < bytes.count {
            let end = end(of: start, in: bytes)
            lines.append(SourceLine(number: lines.count + 1, text: expandingTabs(bytes[start..<end])))
            start = next(after: end, in: bytes)
        }
        return lines
    }

    /// Where the first line begins.
    static func start(of bytes: [UInt8]) -> Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

    /// Where the line ends that begins at `start`.
    static func end(of start: Int, in bytes: [UInt8]) -> Int {
        bytes[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
    }

    /// Where the line after the one that ends at `end` begins.
    static func next(after end: Int, in bytes: [UInt8]) -> Int {
        let isPair = end + 1 < bytes.count && bytes[end] == 0x0D && bytes[end + 1] == 0x0A
        return min(end + (isPair ? 2 : 1), bytes.count)
    }

    private static func expandingTabs(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard line.contains(UInt8(ascii: "\t")) else { return line }
        var expanded: [UInt8] = []
        for byte in line {
            if byte == UInt8(ascii: "\t") {
                repeat { expanded.append(UInt8(ascii: " ")) } while expanded.count % 4 != 0
            } else {
                expanded.append(byte)
            }
        }
        return expanded[...]
    }
}
