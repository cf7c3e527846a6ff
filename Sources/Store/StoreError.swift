internal import GRDB
internal import Glibc
internal import Model

/// What went wrong in the store, in words for people.
package struct StoreError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// Another daemon has the store.
        case locked
        /// The file is damaged, or no database of ours. It is left as it is.
        case corrupt
        /// Another version of Gloss made the file. It is left as it is.
        case otherLayout
        case readOnly
        /// The limit is reached, or the disk is full. Nothing was saved; try again later.
        case full
        /// Another process holds the database. Nothing was saved; try again.
        case busy
        /// The caller's `filter.grep` is not a regular expression.
        case invalidPattern
        /// The task that asked was cancelled.
        case cancelled
        case failed
    }

    package var kind: Kind
    /// SQLite's extended result code, where it was SQLite that failed.
    package var code: Int32?
    /// What happened, where.
    package var description: String
    /// What the operator should do.
    package var hint: String?

    package init(kind: Kind, code: Int32? = nil, description: String, hint: String? = nil) {
        self.kind = kind
        self.code = code
        self.description = description
        self.hint = hint
    }

    static let cancelled = StoreError(kind: .cancelled, description: "the query was given up")
}

extension StoreError {
    static let fullHint = "Free some space; everything goes on by itself."

    /// What SQLite says, in words for the operator.
    /// - Parameter systemError: the errno behind it, where there is one.
    init(_ error: any Error, file: StoreFile, systemError: Int32 = 0) {
        if let error = error as? StoreError {
            self = error
        } else if let error = error as? DatabaseError {
            self.init(error, file: file, systemError: systemError)
        } else {
            self.init(kind: .failed, description: "the store \(file.path) failed: \(error)")
        }
    }

    /// - Parameter layout: the one that the file has.
    init(layout: Int32, file: StoreFile) {
        let isLater = layout > Schema.layout
        self.init(
            kind: .otherLayout,
            description: """
                \(file.path) has layout \(layout), of \(isLater ? "a later" : "an earlier") version of Gloss; \
                this version works with layout \(Schema.layout) only
                """,
            hint: (isLater ? "Install that version again, or do without the file. " : "")
                + StoreFile.rebuildHint(file.path))
    }

    private init(_ error: DatabaseError, file: StoreFile, systemError: Int32) {
        // The wal-index is a file, too: where it cannot grow, SQLite keeps errno to itself.
        let isDiskFull =
            systemError == ENOSPC || systemError == EDQUOT || error.extendedResultCode == .SQLITE_IOERR_SHMSIZE
        let (kind, what, hint): (Kind, String, String?) =
            switch error.resultCode {
            case .SQLITE_FULL: (.full, "the disk is full", Self.fullHint)
            case .SQLITE_IOERR where isDiskFull: (.full, "the disk is full", Self.fullHint)
            case .SQLITE_CANTOPEN where isDiskFull || !file.hasRoomForAnother:
                (.full, "the disk is full: it takes no more files", "Remove some files (df -i); it goes on by itself.")
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (.busy, "another process holds the database", "Close the sqlite3 shell, or what else has it open.")
            case .SQLITE_CORRUPT: (.corrupt, "the database is damaged", StoreFile.rebuildHint(file.path))
            case .SQLITE_NOTADB: (.corrupt, "the file is not a database", StoreFile.rebuildHint(file.path))
            case .SQLITE_READONLY, .SQLITE_PERM:
                (
                    .readOnly, "the database cannot be written",
                    "Make the file and its folder writable for the daemon's user."
                )
            default: (.failed, "SQLite failed", nil)
            }
        // After SQLite could not make a file it tries to open it for reading only: what errno says then is of that.
        let cause = systemError == 0 || error.resultCode == .SQLITE_CANTOPEN ? "" : ", \(errnoText(systemError))"
        self.init(
            kind: kind, code: error.extendedResultCode.rawValue,
            description: """
                \(file.path): \(what) (\(error.message ?? "no message")\(cause), SQLite's code \
                \(error.extendedResultCode.rawValue))
                """,
            hint: hint)
    }
}
