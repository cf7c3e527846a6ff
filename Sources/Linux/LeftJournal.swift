internal import Glibc

/// A file beside a database of SQLite with changes that are not in it yet. SQLite would apply them to any other file that gets the
/// name of the database.
/// - Source: https://www.sqlite.org/howtocorrupt.html
package struct LeftJournal: Error, CustomStringConvertible {
    let path: String
    let database: String

    /// - Returns: `nil` if there is none.
    package init?(of database: String) {
        var status = stat()
        let names = ["-journal", "-wal"].map { database + $0 }
        guard let path = names.first(where: { lstat($0, &status) == 0 }) else { return nil }
        (self.path, self.database) = (path, database)
    }

    package var description: String {
        """
        \(path) is there: a program has an older \(database) open, or ended before it was done with it, and SQLite would \
        apply that to the new file. End the program, or open the older file once with sqlite3; if there is none, remove \
        \(path). Another name does, too
        """
    }
}
