import API
import Model

/// Rows of CSV.
///
/// Values are written unchanged, including those that begin with `=`, `+`, `-` or `@`: a prefix would change the data
/// for all readers but spreadsheets. Only control characters become escapes, since texts come from payloads and the
/// table may be shown on a terminal.
/// - Source: RFC 4180 for the quotes; lines end with LF, as is usual on Linux.
enum CSVText {
    static func line(_ fields: [String]) -> String { String(decoding: bytes(fields), as: UTF8.self) }

    /// The same as bytes.
    static func bytes(_ fields: [String]) -> [UInt8] {
        // Readers skip empty lines.
        guard fields != [""] else { return Array("\"\"\n".utf8) }
        var line: [UInt8] = []
        for (place, field) in fields.enumerated() {
            if place > 0 { line.append(comma) }
            let safe = SafeText.neutralised(field)
            append(safe, quoted: safe.utf8.contains { $0 == comma || $0 == quote }, to: &line)
        }
        line.append(lineFeed)
        return line
    }

    /// A line for files: texts are as they are, NULL is empty, and an empty text is `""`.
    static func exactLine(_ cells: [SQLCell]) -> [UInt8] {
        var line: [UInt8] = []
        for (place, cell) in cells.enumerated() {
            if place > 0 { line.append(comma) }
            switch cell {
            case .null: break
            case .number(let digits): line += digits.utf8
            case .text(let text):
                let needsQuotes = text.utf8.isEmpty || text.utf8.contains { "\",\r\n".utf8.contains($0) }
                append(text.wrappedValue, quoted: needsQuotes, to: &line)
            }
        }
        line.append(lineFeed)
        return line
    }

    private static let (comma, quote, lineFeed) = (UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"))

    private static func append(_ text: String, quoted isQuoted: Bool, to line: inout [UInt8]) {
        guard isQuoted else { return line.append(contentsOf: text.utf8) }
        line.append(quote)
        for byte in text.utf8 {
            if byte == quote { line.append(byte) }
            line.append(byte)
        }
        line.append(quote)
    }
}
