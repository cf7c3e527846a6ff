import API
import Model

/// Rows of CSV.
///
/// Values are written unchanged, including those that begin with `=`, `+`, `-` or `@`: a prefix would change the data
/// for all readers but spreadsheets. Only on a terminal, control characters become escapes, since texts come from payloads.
/// - Source: RFC 4180 for the quotes; lines end with LF, as is usual on Linux.
struct CSVText {
    private let isForTerminal: Bool

    init(_ style: Style) { isForTerminal = style.width != nil }

    private init(isForTerminal: Bool) { self.isForTerminal = isForTerminal }

    /// For files.
    static let exact = CSVText(isForTerminal: false)

    /// - Parameter fields: `nil` for those without a value. An empty text is `""`.
    func line(_ fields: [String?]) -> [UInt8] {
        var line: [UInt8] = []
        for (place, field) in fields.enumerated() {
            if place > 0 { line.append(Self.comma) }
            if let field { Self.append(isForTerminal ? SafeText.neutralised(field) : field, to: &line) }
        }
        // Readers skip empty lines.
        if line.isEmpty { line += "\"\"".utf8 }
        line.append(Self.lineFeed)
        return line
    }

    func line(_ cells: [SQLCell]) -> [UInt8] {
        line(
            cells.map { cell in
                switch cell {
                case .null: nil
                case .number(let text), .text(let text): text.text
                }
            })
    }

    private static let (comma, quote, lineFeed) = (UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n"))

    private static func append(_ text: String, to line: inout [UInt8]) {
        guard text.utf8.isEmpty || text.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else {
            return line.append(contentsOf: text.utf8)
        }
        line.append(quote)
        for byte in text.utf8 {
            if byte == quote { line.append(byte) }
            line.append(byte)
        }
        line.append(quote)
    }
}
