internal import Glibc
internal import Model

/// What the head of a database file says about whose it is.
///
/// It is read without SQLite, which would create the companion files of the database, and lock it.
/// - Source: https://www.sqlite.org/fileformat.html#the_database_header
struct StoreHead {
    /// `application_id`.
    let mark: Int32
    /// `user_version`.
    let layout: Int32
    /// Whether there are no tables.
    let isEmpty: Bool
    /// The size of the database; `nil` if the head does not say it.
    let databaseBytes: Int64?

    /// What a file of SQLite begins with, and the head of the first page, which has the tables' names.
    static let length = 108

    /// - Parameter bytes: the first of the file, up to `length`.
    /// - Returns: `nil` if this is no database.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes.starts(with: "SQLite format 3\0".utf8) else { return nil }
        func number(_ place: Int, bytes count: Int = 4) -> UInt32 {
            bytes[place..<place + count].reduce(0) { $0 << 8 | UInt32($1) }
        }
        (layout, mark) = (Int32(bitPattern: number(60)), Int32(bitPattern: number(68)))
        let (pageBytes, pages) = (number(16, bytes: 2), number(28))
        // A program that does not know the number of pages changes only the first of the counters.
        databaseBytes = number(24) == number(92) ? Int64(pages) * (pageBytes == 1 ? 65_536 : Int64(pageBytes)) : nil
        // A leaf page without a cell.
        isEmpty = bytes[100] == 13 && bytes[103] == 0 && bytes[104] == 0
    }
}

extension EventStore {
    /// Looks at the file of a store: whether its folder can be used, and whether the file belongs to the user of the folder or to
    /// root (in a folder of root, to anybody), is one of this layout, and has its end. Changes nothing, and does not look for other
    /// damage. A daemon may have it open, but not this process. Blocks.
    /// - Parameter path: the path of the database.
    /// - Returns: what cannot be said now, or by this user; `nil` if a daemon could open or create the file.
    /// - Throws: what a daemon that opens it would throw.
    package static func look(at path: String) throws(StoreError) -> String? {
        do throws(StoreError) {
            let file = try StoreFile(path: path)
            // The daemon may run as another user than this one: the folder is its own. Whose it is in one of root is not known.
            if let owner = file.folderOwner, owner != 0 { try file.checkOwner(owner) }
            // While a daemon commits and copies its log, the head may be newer than the sizes. Then they differ the next time.
            if let missing = try file.missingEnd(), let again = try file.missingEnd(), missing == again {
                throw StoreError.truncated(file, from: missing.whole, to: missing.bytes)
            }
            return nil
        } catch {
            switch error.systemError {
            case ENOENT: return "\(error); glossd does not make it, but its unit makes /var/lib/gloss"
            case EACCES, EPERM: return "\(error) for this user; glossd may run as another"
            default: throw error
            }
        }
    }
}

extension StoreFile {
    /// Looks at the head and at the size of the file.
    /// - Returns: how many bytes the database has to have, and how many it has; `nil` if none are missing.
    fileprivate func missingEnd() throws(StoreError) -> (whole: Int64, bytes: Int64)? {
        // Before the head: a daemon that shortens the file changes the head first.
        let sizes = sizes
        guard let bytes = try head(), !bytes.isEmpty else { return nil }
        guard let head = StoreHead(bytes) else { throw .notDatabase(self) }
        try StoreDatabase.refuseForeign(mark: head.mark, layout: head.layout, isEmpty: head.isEmpty, self)
        // Pages that are not copied yet are in the log.
        guard let whole = head.databaseBytes, whole > sizes.database + sizes.wal else { return nil }
        return (whole, sizes.database)
    }

    /// - Returns: the first bytes; `nil` when there is no file.
    private func head() throws(StoreError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var bytes = [UInt8](repeating: 0, count: StoreHead.length)
        let count = descriptor < 0 ? -1 : pread(descriptor, &bytes, bytes.count, 0)
        let code = errno
        if descriptor >= 0 { close(descriptor) }
        guard count < 0 else { return Array(bytes.prefix(count)) }
        if descriptor < 0, code == ENOENT { return nil }
        throw StoreError(
            kind: .failed, description: "the store \(path) cannot be read: \(errnoText(code))", systemError: code)
    }
}
