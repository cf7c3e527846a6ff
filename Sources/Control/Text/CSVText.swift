import API
import Model

/// Rows of CSV.
///
/// Values are written unchanged, including those that begin with `=`, `+`, `-` or `@`: a prefix would change the data
/// for all readers but spreadsheets. Only control characters become escapes, since texts come from payloads and the
/// table may be shown on a terminal.
/// - Source: RFC 4180 for the quotes; lines end with LF, as is usual on Linux.
enum CSVText {
    static func line(_ fields: [String]) -> String {
        // Readers skip empty lines.
        fields == [""] ? "\"\"\n" : fields.map(field).joined(separator: ",") + "\n"
    }

    /// A line for files: texts are as they are, NULL is empty, and an empty text is `""`.
    static func exactLine(_ cells: [SQLCell]) -> [UInt8] {
        var line: [UInt8] = []
        for (place, cell) in cells.enumerated() {
            if place > 0 { line.append(UInt8(ascii: ",")) }
            switch cell {
            case .null: break
            case .number(let digits): line += digits.utf8
            case .text(let text):
                let needsQuotes = text.utf8.isEmpty || text.utf8.contains { "\",\r\n".utf8.contains($0) }
                if needsQuotes { line.append(UInt8(ascii: "\"")) }
                for byte in text.utf8 {
                    if byte == UInt8(ascii: "\"") { line.append(byte) }
                    line.append(byte)
                }
                if needsQuotes { line.append(UInt8(ascii: "\"")) }
            }
        }
        line.append(UInt8(ascii: "\n"))
        return line
    }

    private static func field(_ text: String) -> String {
        let safe = SafeText.neutralised(text)
        guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
