internal import GRDB

extension Row {
    /// Returns the value of a column. GRDB's subscript would end the process where a damaged file has NULL, or a value
    /// of another type.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        do {
            return try decode(Value.self, forColumn: column)
        } catch is RowDecodingError {
            throw DatabaseError.damaged("the column \(column) of a row has no value, or one of another type")
        }
    }

    /// Returns a count as `StoredCount.clamped`.
    func count(_ column: String) throws -> Int64 { StoredCount.clamped(try value(column)) }
}

/// What a column may have that counts something, and that no checksum covers.
enum StoredCount {
    /// More than any counter reaches, and so little that no sum of them overflows.
    static let most: Int64 = 1 << 46

    /// Returns a number that something can have been counted to. A damaged count is wrong then, as it may be in any case, and what
    /// is read with it is not lost.
    static func clamped(_ count: Int64) -> Int64 { min(max(0, count), most) }

    /// - Parameter what: names the column.
    static func checked(_ count: Int64, of what: @autoclosure () -> String) throws -> Int64 {
        guard (0...most).contains(count) else { throw DatabaseError.damaged("\(what()) is \(count)") }
        return count
    }
}
