import JSON
import Model

/// A line of what is written into a database file.
package enum ExportLine: Sendable, Hashable {
    /// A table begins; the rows that follow are its.
    case table(TableReply)
    case row([SQLCell])
    /// All is there. Without this line, there is no file.
    case end

    package static func parse(_ line: [UInt8]) throws(StreamLineError) -> ExportLine {
        let object = try WireObject(line)
        switch try object.string("type") {
        case "table": return .table(try object.object("table").decode(TableReply.self))
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

    package static let ending = Array("{\"type\":\"end\"}\n".utf8)
}
