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
}
