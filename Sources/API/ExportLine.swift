import Model

/// A line of what is written into a database file.
package enum ExportLine: Sendable, Hashable {
    /// A table begins; the rows that follow are its.
    case table(TableReply)
    /// More rows follow of a table that began before.
    case more(table: String)
    case row([SQLCell])
    /// All is there. Without this line, there is no file.
    case end

    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> ExportLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "table": return .table(try object.object("table").decode(TableReply.self))
        case "more": return .more(table: try object.string("table"))
        case "row": return .row(try object.cells("values"))
        case "end": return .end
        case let type: throw StreamLineError(description: "not a line of an export: \(type)")
        }
    }

    /// The line that begins a table.
    /// - Throws: `EncodingError`.
    package static func beginning(_ table: TableReply) throws -> [UInt8] {
        Array(#"{"type":"table","table":"#.utf8) + (try APICoding.encode(table)) + Array("}\n".utf8)
    }

    /// The line before more rows of a table.
    package static func more(of table: TableReply) -> [UInt8] {
        Array(#"{"type":"more","table":"\#(table.name)"}"#.utf8) + [UInt8(ascii: "\n")]
    }

    /// The line of a row, without its line break, as the daemon's lines of rows are passed on.
    /// - Parameter cells: its values, a JSON array.
    package static func row(_ cells: String) -> [UInt8] { Array(#"{"type":"row","values":\#(cells)}"#.utf8) }

    package static let ending = Array("{\"type\":\"end\"}\n".utf8)
}
