package import Model

/// The condition of a journal.
package struct JournalCondition: Sendable, Hashable {
    package var health: JournalHealth
    /// When its newest entry was written, in microseconds since 1970; `nil` when it is empty.
    package var newestMicroseconds: UInt64?
    /// When the oldest entry that is not read yet was written, or a little earlier; `nil` when all are read.
    package var oldestUnreadMicroseconds: UInt64?
    package var unreadEntries: UInt64

    package init(
        health: JournalHealth = .init(), newestMicroseconds: UInt64? = nil, oldestUnreadMicroseconds: UInt64? = nil,
        unreadEntries: UInt64 = 0
    ) {
        self.health = health
        self.newestMicroseconds = newestMicroseconds
        self.oldestUnreadMicroseconds = oldestUnreadMicroseconds
        self.unreadEntries = unreadEntries
    }
}

/// Which parts of a journal can be read and which cannot.
package struct JournalHealth: Sendable, Hashable {
    /// A file or folder that should be read but is not.
    package struct Problem: Sendable, Hashable {
        @Exact package var path: String
        /// The reason as a phrase for people, such as `permission denied`.
        @Exact package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// The problems, sorted by path.
    package var problems: [Problem] = []
    /// The number of journal files that are read.
    package var readableFiles: Int = 0
    /// The reason why changes are polled for every two seconds instead of watched; `nil` when they are watched.
    @Exact package var polling: String?

    /// The folders with journals that are not read because the settings name another location: of other machines and
    /// namespaces, or within the folder that the settings name.
    @Exact package var uncovered: [String] = []
}

extension FormatError {
    /// The reason why a file is not read, as a phrase for people.
    var reason: String {
        switch self {
        case .incomplete: "it is too short for a journal file"
        case .unfinished: "it ends before its entries, and is being written: the rest is read when it is there"
        case .notAJournal: "it is damaged, or not a journal file"
        case .notAFile(let kind): "it is \(kind), not a journal file"
        case .unsupported(let flags):
            "it was written by a newer systemd in a format that is not supported "
                + "(incompatible flags 0x\(hexadecimalText(UInt64(flags))))"
        case .replaced: "another file has taken its place"
        case .io(let errno): errnoText(errno)
        }
    }
}

/// A system call that failed, or something that could not be read.
package struct JournalError: Error, Hashable, CustomStringConvertible {
    /// The operation and its object: `open /var/log/journal`.
    @Exact package var call: String
    /// Why it failed, as a phrase for people.
    @Exact package var reason: String

    init(call: String, reason: String) { (self.call, self.reason) = (call, reason) }

    /// - Parameter errno: a positive errno value.
    init(call: String, errno: Int32) { self.init(call: call, reason: errnoText(errno)) }

    package var description: String { "\(call): \(reason)" }
}
