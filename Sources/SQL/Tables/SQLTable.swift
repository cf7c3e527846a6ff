package import Model
package import Store

/// A table as SQL sees it.
package struct SQLTable: Sendable, Hashable, Codable {
    package var name: String
    package var description: String
    package var columns: [SQLColumn]
    package var content: Content
    /// Whose events it has, if it is the table of a definition.
    package var definition: Definition?

    package struct Definition: Sendable, Hashable, Codable {
        package var dictionary: String
        package var event: String
    }

    package enum Content: Sendable, Hashable, Codable {
        /// A row for each stored event that meets a predicate, or for each of their violations or warnings.
        case stored(RowKind, Predicate)
        /// A row for each stored event of the definitions whose tables a statement names.
        case definitionRows
        case gaps
        case rows([[SQLValue]])
    }

    package init(name: String, description: String, columns: [SQLColumn], content: Content) {
        (self.name, self.description) = (name, description)
        (self.columns, self.content) = (columns, content)
    }

    /// The same, where parameters in columns of texts have numbers that are no integers as texts, with the digits that were sent.
    package var exact: SQLTable {
        var table = self
        for place in columns.indices where columns[place].type == .text {
            guard case .parameter(let path, let isObject, _) = columns[place].source else { continue }
            table.columns[place].source = .parameter(path, isObject: isObject, isExact: true)
        }
        return table
    }
}

package struct SQLColumn: Sendable, Hashable, Codable {
    package var name: String
    package var type: SQLType
    package var description: String
    /// Where stored events have its values; `nil` in tables whose rows are given.
    package var source: RowColumn?
    /// How SQLite compares its values; `nil` for the usual way.
    package var collation: SQLCollation?
    /// Whether `SELECT *` leaves it out, as exports do: other columns have what it says.
    package var isHidden = false

    package init(
        _ name: String, _ type: SQLType, _ description: String, _ source: RowColumn? = nil,
        collation: SQLCollation? = nil
    ) {
        (self.name, self.type) = (name, type)
        (self.description, self.source) = (description, source)
        self.collation = collation ?? source.flatMap { SQLCollation($0) }
    }

    /// The columns by which events are counted over time. Their names begin with that of the time: `hour` would be taken for an
    /// alias that a statement gives, since SQLite looks for columns first.
    /// - Parameter time: the name of the column with the time.
    static func units(of time: String) -> [SQLColumn] {
        [TimeUnit.minute, .hour, .day].map { unit in
            let example = "2026-11-21 10:00".prefix(unit.textCount)
            var column = SQLColumn(
                "\(time)_\(unit.rawValue)", .text, "The \(unit.rawValue) of its time: \(example)",
                .timeUnit(unit))
            column.isHidden = true
            return column
        }
    }
}

/// The declared type of a column. It says how SQLite compares its values, not which ones there are.
package enum SQLType: String, Sendable, Hashable, Codable, CaseIterable {
    case integer = "INTEGER"
    case real = "REAL"
    case text = "TEXT"
    /// 1 or 0.
    case boolean = "BOOLEAN"
}

/// How texts of a column are compared, wherever a statement does: an order of SQLite with a name, and so that texts are equal
/// that mean the same.
package enum SQLCollation: String, Sendable, Hashable, Codable, CaseIterable {
    /// Times, in the form that the column has or in one of ISO 8601.
    case time = "gloss_time"
    /// Levels by how severe they are, the most severe ones last, in any word that `Level` knows.
    case level = "gloss_level"

    fileprivate init?(_ source: RowColumn) {
        switch source {
        case .time, .programTime: self = .time
        case _ where source.isLevel: self = .level
        default: return nil
        }
    }
}

/// A value of a table whose rows are given.
package enum SQLValue: Sendable, Hashable, Codable {
    case null
    case integer(Int64)
    case text(String)

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    package init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
}

/// What a statement is run with, by another process than the daemon.
package struct SQLRequest: Sendable, Codable {
    package var statement: String
    /// The tables that the statement may use.
    package var tables: [SQLTable]
    /// Which events the tables of events have.
    package var predicate: Predicate
    /// The most rows of the result; `nil` for any number.
    package var limit: Int?
    package var limits: SQLLimits

    package init(
        statement: String, tables: [SQLTable], predicate: Predicate, limit: Int?, limits: SQLLimits
    ) {
        (self.statement, self.tables) = (statement, tables)
        (self.predicate, self.limit, self.limits) = (predicate, limit, limits)
    }
}

/// The limits of a statement.
package struct SQLLimits: Sendable, Hashable, Codable {
    /// How long it may take, with the time in which the client reads the rows; in seconds.
    package var seconds: UInt32 = 60
    /// The memory of SQLite and of the whole process, in bytes.
    package var heapBytes: Int64 = 64 << 20
    package var memoryBytes: UInt = 256 << 20
    /// All its temporary files together, in bytes. Four statements run at a time.
    package var temporaryBytes: Int64 = 1 << 30

    package init() {}
}
