import Store

/// The rows of a table, one after the other.
protocol TableRows: AnyObject {
    /// Goes to the next row.
    /// - Returns: `false` after the last one.
    func next() throws -> Bool
    /// A number that no other row of the table has, in whichever way rows are read. SQLite knows rows by it that meet several
    /// conditions of an `OR`.
    var rowID: Int64 { get }
    /// Returns the row's value in a column, by its number. The bytes of a text are valid until the next value is asked for.
    func value(of column: Int) throws -> RowValue
}

/// Rows that are made of stored events.
extension RowScan: TableRows {}
extension TimedRows: TableRows {}
extension GroupedRows: TableRows {}
extension RowLookup.Rows: TableRows {}

/// Rows that are given, or some of them.
final class FixedRows: TableRows {
    private let rows: [[SQLValue]]
    private let places: [Int]?
    private var count = 0
    private var place: Int { places?[count - 1] ?? count - 1 }
    private let held = HeldText()

    /// - Parameter places: those of the rows; `nil` for all.
    init(_ rows: [[SQLValue]], at places: [Int]? = nil) { (self.rows, self.places) = (rows, places) }

    func next() throws -> Bool {
        count += 1
        return count <= places?.count ?? rows.count
    }

    var rowID: Int64 { Int64(place) }

    func value(of column: Int) throws -> RowValue {
        switch rows[place][column] {
        case .null: return .null
        case .integer(let number): return .integer(number)
        case .text(let text): return held.value(text)
        }
    }
}
