package import Model

/// A line of the answer to a statement.
package enum SQLLine: Sendable, Hashable {
    /// The names of a statement's columns. Its rows follow.
    case columns([String])
    case row([SQLCell])
    /// The last line: how many rows there were, and whether there are more that the limit left out.
    case end(rows: Int64, isCut: Bool)
    /// The last line, if the statement failed.
    case error(Problem)
}

/// A value of a row.
package enum SQLCell: Sendable, Hashable {
    case null
    /// The digits of an integer or a real number.
    case number(ExactString)
    case text(ExactString)
}

extension SQLLine {
    package static let stream = StreamDescription(
        name: "SQLLine", summary: "One line of the answer to a statement",
        lines: [
            ObjectDescription(
                "ColumnsLine", "The columns of a statement, before its rows",
                [
                    .type("columns"),
                    MemberDescription(
                        name: "columns", type: .list(.text), text: "Their names", example: ["event", "count(*)"]),
                ]),
            ObjectDescription(
                "RowLine", "A row of the result",
                [
                    .type("row"),
                    MemberDescription(
                        name: "values", type: .list(.scalar),
                        text: """
                            Its values, one for each column: integers of 64 bits and real numbers; texts; null. A blob is a text \
                            as SQL writes it, X'0F'; infinity is the text Inf or -Inf
                            """, example: ["recipe_detail/tap_save_button", .number(1234)]),
                ]),
            ObjectDescription(
                "EndLine", "The last line",
                [
                    .type("end"),
                    MemberDescription(name: "rows", type: .integer, text: "How many rows there were", example: 1),
                    MemberDescription(
                        name: "cut", type: .flag, text: "Whether there are more rows than n", example: .flag(false)),
                ]),
            Problem.line,
        ])

    /// Whether an answer ends with these lines: with its end, or with an error.
    package static func isEnd(of lines: [UInt8]) -> Bool {
        let start = lines.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        return lines.last == UInt8(ascii: "\n")
            && [#"{"type":"end","#, #"{"type":"error","#].contains { lines[start...].starts(with: $0.utf8) }
    }

    /// Reads one line, with or without its line break.
    /// - Throws: `StreamLineError` if it is not such a line.
    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> SQLLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "columns": return .columns(try object.cells("columns").map(\.shown))
        case "row": return .row(try object.cells("values"))
        case "end": return .end(rows: try object.integer("rows"), isCut: try object.flag("cut"))
        case "error": return .error(try object.object("problem").decode(Problem.self))
        case let type: throw StreamLineError(description: "not a line of an answer: \(type)")
        }
    }
}

extension SQLCell {
    /// The text, the digits, or nothing.
    package var shown: String {
        switch self {
        case .null: ""
        case .number(let text), .text(let text): text.text
        }
    }
}
