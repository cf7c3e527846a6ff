import Model
import Store

/// The rows of a table, one after the other.
protocol TableRows: AnyObject {
    /// Goes to the next row.
    /// - Returns: `false` after the last one.
    func next() throws -> Bool
    var id: Int64 { get }
    func withValue(of column: Int, _ body: (RowValue) -> Void) throws
}

/// Rows that are made of stored events.
final class StoredRows: TableRows {
    private let scan: RowScan

    init(_ scan: RowScan) { self.scan = scan }

    func next() throws -> Bool { try scan.next() }
    var id: Int64 { scan.id }

    func withValue(of column: Int, _ body: (RowValue) -> Void) throws {
        try scan.withValue(of: column, body)
    }
}

final class FixedRows: TableRows {
    private let rows: [[SQLValue]]
    private var place = -1

    init(_ rows: [[SQLValue]]) { self.rows = rows }

    func next() throws -> Bool {
        place += 1
        return place < rows.count
    }

    var id: Int64 { Int64(place) }

    func withValue(of column: Int, _ body: (RowValue) -> Void) throws {
        switch rows[place][column] {
        case .null: body(.null)
        case .integer(let number): body(.integer(number))
        case .text(var text): text.withUTF8 { body(.text(UnsafeRawBufferPointer($0))) }
        }
    }
}
