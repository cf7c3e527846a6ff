import GRDBSQLite
import Model

/// Text within statements.
enum SQLText {
    /// SQLITE_TRANSIENT: the number -1 in place of a destructor. Swift does not import this macro.
    static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    /// A name of a table or column.
    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

    /// A comment to the end of the line.
    static func comment(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
        return "-- " + String(String.UnicodeScalarView(scalars))
    }
}
