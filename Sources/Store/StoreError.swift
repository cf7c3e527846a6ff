internal import GRDB
internal import Glibc
internal import Model

/// An error of the store, with a description for people.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Another daemon uses the store.
        case locked
        /// The file is damaged, or is a database of another program, which is not changed.
        case corrupt
        /// Another version of Gloss created the file. It is not changed.
        case otherLayout
        case readOnly
        /// What has the name of the store, or of its lock, is another user's or none. It is not changed.
        case foreign
        /// The limit is reached, or the disk is full. Nothing was saved; try again later.
        case full
        /// The disk cannot be read or written. Nothing was saved; try again later.
        case disk
        /// Another process has locked the database. Nothing was saved; try again.
        case busy
        /// A regular expression of the caller is none, or takes too long, or fails.
        case invalidPattern
        /// The task that made the request was cancelled.
        case cancelled
        case failed
    }

    package var kind: Kind
    /// What happened, and where.
    package var description: String
    /// What the operator should do.
    package var hint: String?
    /// The errno behind it, where that makes a difference.
    var systemError: Int32 = 0
    /// Of a full store, whether it is the disk or a quota that has no room, not the store itself.
    package var isOfDisk = false

    /// Whether a daemon that is started again meets the same, until somebody does what the hint says.
    package var isLasting: Bool {
        [.corrupt, .otherLayout, .foreign, .readOnly].contains(kind) || [EACCES, EPERM, EROFS].contains(systemError)
    }

    static let cancelled = StoreError(kind: .cancelled, description: "the query was cancelled")
}

extension StoreError {
    static let fullHint = "Free some space. The daemon then continues automatically."
    private static let diskHint = """
        Check the disk: whether it fails (journalctl -k), is mounted read-only, or has a limit for the size of files. It is \
        tried again automatically.
        """

    /// Describes an error of SQLite for the operator.
    /// - Parameter systemError: the errno behind it, if there is one.
    init(_ error: any Error, file: StoreFile, systemError: Int32 = 0) {
        if let error = error as? StoreError {
            self = error
        } else if let error = error as? DatabaseError {
            self.init(error, file: file, systemError: systemError)
        } else {
            self.init(kind: .failed, description: "the store \(file.path) failed: \(error)")
        }
    }

    /// - Parameter layout: the layout of the file.
    init(layout: Int32, file: StoreFile) {
        let isLater = layout > Schema.layout
        self.init(
            kind: .otherLayout,
            description: """
                \(file.path) has layout \(layout), of \(isLater ? "a later" : "an earlier") version of Gloss; \
                this version works with layout \(Schema.layout) only
                """,
            hint: (isLater ? "Install that version again, or rebuild the store. " : "")
                + StoreFile.rebuildHint(file.path))
    }

    /// A file that SQLite would call none of its own.
    static func notDatabase(_ file: StoreFile) -> StoreError {
        StoreError(
            kind: .corrupt, description: "\(file.path): the file is not a database",
            hint: StoreFile.rebuildHint(file.path))
    }

    /// A file that SQLite calls damaged, because its end is missing.
    static func truncated(_ file: StoreFile, from whole: Int64, to bytes: Int64) -> StoreError {
        StoreError(
            kind: .corrupt,
            description: "\(file.path): the database is damaged: it has \(bytes) bytes instead of \(whole)",
            hint: StoreFile.rebuildHint(file.path))
    }

    private init(_ error: DatabaseError, file: StoreFile, systemError: Int32) {
        // The wal-index is a file, too. If it cannot grow, SQLite does not report errno.
        let isDiskFull =
            systemError == ENOSPC || systemError == EDQUOT || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        let reads: [ResultCode] = [.SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ, .SQLITE_IOERR_CORRUPTFS]
        let isReading = reads.contains(error.extendedResultCode)
        let (kind, what, hint): (Kind, String, String?) =
            switch error.resultCode {
            case .SQLITE_FULL: (.full, "the disk is full", Self.fullHint)
            case .SQLITE_IOERR where isDiskFull: (.full, "the disk is full", Self.fullHint)
            case .SQLITE_CANTOPEN where isDiskFull || !file.hasRoomForAnother:
                (
                    .full, "the disk is full: it takes no more files",
                    "Remove some files (df -i). The daemon then continues automatically."
                )
            case .SQLITE_IOERR where error.extendedResultCode != .SQLITE_IOERR_NOMEM:
                (.disk, "the disk cannot be \(isReading ? "read" : "written")", Self.diskHint)
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (
                    .busy, "another process has locked the database",
                    "Close the sqlite3 shell, or any other program that has it open."
                )
            // SQLite takes what the disk refuses to read for damage.
            case .SQLITE_CORRUPT where systemError != 0: (.disk, "the disk cannot be read", Self.diskHint)
            case .SQLITE_CORRUPT: (.corrupt, "the database is damaged", StoreFile.rebuildHint(file.path))
            // The layout has each table and column, so that it is the schema's text that is damaged.
            case .SQLITE_ERROR where error.message?.hasPrefix("no such ") == true:
                (.corrupt, "the database is damaged", StoreFile.rebuildHint(file.path))
            case .SQLITE_NOTADB: (.corrupt, "the file is not a database", StoreFile.rebuildHint(file.path))
            case .SQLITE_READONLY, .SQLITE_PERM:
                (
                    .readOnly, "the database cannot be written",
                    "Make the file and its folder writable for the daemon's user."
                )
            default: (.failed, "SQLite failed", nil)
            }
        // After SQLite failed to create a file, it tries to open it read-only, and errno is the result of that
        // attempt.
        let cause = systemError == 0 || error.resultCode == .SQLITE_CANTOPEN ? "" : ", \(errnoText(systemError))"
        self.init(
            kind: kind,
            description: """
                \(file.path): \(what) (\(error.message ?? "no message")\(cause), SQLite's code \
                \(error.extendedResultCode.rawValue))
                """,
            hint: hint, isOfDisk: kind == .full)
    }
}
