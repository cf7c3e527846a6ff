package import Model

/// How far the journal has been read.
package struct JournalStatus: Sendable, Hashable, Codable {
    package struct CatchUp: Sendable, Hashable, Codable {
        /// 0 to 100.
        package var percent: Double
        package var entriesPerSecond: Double
        /// `nil` while there is too little to estimate it from.
        package var secondsLeft: Double?

        package init(percent: Double, entriesPerSecond: Double, secondsLeft: Double?) {
            self.percent = percent
            self.entriesPerSecond = entriesPerSecond
            self.secondsLeft = secondsLeft
        }
    }

    package struct UnreadableFile: Sendable, Hashable, Codable {
        package var path: String
        package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }
    }

    /// What became of the entries that were read since the store was made; each is in one of the parts.
    package struct Entries: Sendable, Hashable, Codable {
        /// All of them.
        package var read: Int64
        /// They became events.
        package var stored: Int64
        /// No source takes them.
        package var passed: Int64
        /// They came again, in another file, and were not stored a second time.
        package var duplicates: Int64
        /// They are older than events are kept (`store.max_age`).
        package var expired: Int64

        package init(_ counts: EntryCounts) {
            read = counts.read
            stored = counts.stored
            passed = counts.passed
            duplicates = counts.duplicates
            expired = counts.expired
        }
    }

    /// `machine`, `namespace:NAME` or `directory:PATH`.
    package var location: String
    /// How many journal files are read.
    package var files: Int
    /// When the entry that was read last was written.
    package var positionTime: WireTime?
    /// Every entry that the journal had by then has been read, and what the sources take of it is in the store. Each
    /// question for the status brings it up to date, for the next one.
    package var completeUntil: WireTime?
    /// How much older the oldest entry that is not read yet is than the newest one of the journal; 0 when all are read.
    package var lagSeconds: Double?
    /// Since the daemon started.
    package var entriesRead: Int64
    package var entriesPerSecond: Double
    /// Absent when the store is damaged where that is kept.
    package var entries: Entries?
    package var catchUp: CatchUp?
    package var unreadableFiles: [UnreadableFile]

    package init(
        location: String, files: Int, positionTime: WireTime?, completeUntil: WireTime? = nil, lagSeconds: Double?,
        entriesRead: Int64, entriesPerSecond: Double, entries: Entries? = nil, catchUp: CatchUp?,
        unreadableFiles: [UnreadableFile]
    ) {
        self.location = location
        self.files = files
        self.positionTime = positionTime
        self.completeUntil = completeUntil
        self.lagSeconds = lagSeconds
        self.entriesRead = entriesRead
        self.entriesPerSecond = entriesPerSecond
        self.entries = entries
        self.catchUp = catchUp
        self.unreadableFiles = unreadableFiles
    }
}
