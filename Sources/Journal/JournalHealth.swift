import Glibc
package import Model

/// What there is of a journal.
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

/// What of a journal can be read, and what cannot.
package struct JournalHealth: Sendable, Hashable {
    /// A file or folder that is not read although it should be.
    package struct Problem: Sendable, Hashable {
        @Exact package var path: String
        /// In words for people, such as `permission denied`.
        @Exact package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// Sorted by path.
    package var problems: [Problem]
    /// How many journal files are read.
    package var readableFiles: Int
    /// Why changes are looked for every two seconds rather than waited for; `nil` when all is well.
    @Exact package var polling: String?

    /// Folders with journals that are not read because the settings name another location, such as namespaces; sorted.
    @Exact package var uncovered: [String]

    package init(
        problems: [Problem] = [], readableFiles: Int = 0, polling: String? = nil, uncovered: [String] = []
    ) {
        self.problems = problems
        self.readableFiles = readableFiles
        self.polling = polling
        self.uncovered = uncovered
    }
}

extension FormatError {
    /// Why a file is not read, in words for people.
    var reason: String {
        switch self {
        case .incomplete: "it is too short for a journal file"
        case .notAJournal: "it is damaged, or not a journal file"
        case .notAFile(let kind): "it is \(kind), not a journal file"
        case .unsupported(let flags):
            "it was written by a newer systemd in a form that is not known here "
                + "(incompatible flags 0x\(hexadecimalText(UInt64(flags))))"
        case .replaced: "another file has taken its place"
        case .io(let errno): errorText(errno)
        }
    }
}

/// A call of the kernel that failed, or what could not be read.
package struct JournalError: Error, Hashable, CustomStringConvertible {
    /// What was tried, with what it was tried on: `open /var/log/journal`.
    package var call: String
    /// A positive errno value.
    package var errno: Int32

    package init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    package var description: String { "\(call): \(errorText(errno))" }
}

/// What the kernel means by a positive errno value, in words.
func errorText(_ errno: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
