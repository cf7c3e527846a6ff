import API
import GRDBSQLite
import JSON
import Linux

/// Writes the lines of an answer to a descriptor, many at a time.
struct RowWriter {
    private let descriptor: Int32
    private var json = JSONWriter()
    private static let chunkBytes = 64 << 10

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    mutating func columns(_ names: [String]) throws {
        json.beginObject()
        json.member("type", "columns")
        json.key("columns")
        json.beginArray()
        for name in names { json.string(name) }
        json.endArray()
        json.endObject()
        json.newline()
        // The daemon waits for the first line, and answers with an error if it is one.
        try flush()
    }

    mutating func row(_ statement: OpaquePointer) throws {
        json.beginObject()
        json.member("type", "row")
        json.key("values")
        json.beginArray()
        for column in 0..<sqlite3_data_count(statement) { value(statement, column) }
        json.endArray()
        json.endObject()
        json.newline()
        if json.bytes.count >= Self.chunkBytes { try flush() }
    }

    private mutating func value(_ statement: OpaquePointer, _ column: Int32) {
        switch sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: json.integer(sqlite3_column_int64(statement, column))
        case SQLITE_FLOAT: json.real(sqlite3_column_double(statement, column))
        case SQLITE_TEXT: json.string(utf8: Self.bytes(statement, column))
        case SQLITE_BLOB:
            let digits = Array("0123456789ABCDEF".utf8)
            var text = Array("X'".utf8)
            for byte in Self.bytes(statement, column) {
                text.append(digits[Int(byte >> 4)])
                text.append(digits[Int(byte & 15)])
            }
            text.append(UInt8(ascii: "'"))
            text.withUnsafeBytes { json.string(utf8: $0) }
        default: json.null()
        }
    }

    private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(statement, column)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }

    /// - Parameter isCut: whether there are more rows, which the limit leaves out.
    mutating func end(rows: Int, isCut: Bool) throws {
        json.beginObject()
        json.member("type", "end")
        json.member("rows", rows)
        json.member("cut", isCut)
        json.endObject()
        json.newline()
        try flush()
    }

    mutating func problem(_ problem: Problem) throws {
        var writer = StreamLineWriter()
        try writer.append(problem)
        json.bytes += writer.bytes
        try flush()
    }

    private mutating func flush() throws {
        guard writeAll(json.bytes, to: descriptor) == 0 else {
            throw SQLFailure(description: "nobody reads the answer", isMistake: false)
        }
        json.removeAll()
    }
}
