import GRDBSQLite

/// A value of a row with its type, as text: `i42`, `r4.2`, `t42`, or `null`.
struct SQLQuoted: Hashable, Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    let text: String

    init(stringLiteral text: String) { self.text = text }

    static func row(_ statement: OpaquePointer) -> [SQLQuoted] {
        (0..<sqlite3_column_count(statement)).map { column in
            // The type first: asking for the text may change it.
            SQLQuoted(statement, column, type: sqlite3_column_type(statement, column))
        }
    }

    private init(_ statement: OpaquePointer, _ column: Int32, type: Int32) {
        let shown = sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        let mark = [SQLITE_INTEGER: "i", SQLITE_FLOAT: "r", SQLITE_TEXT: "t", SQLITE_BLOB: "b"][type]
        text = mark.map { $0 + shown } ?? "null"
    }

    static func < (one: Self, other: Self) -> Bool { one.text < other.text }
    var description: String { text }
}
