package import Model

/// How far the journal has been read.
package struct JournalStatus: Sendable, Hashable, Codable, DescribedObject {
    package struct CatchUp: Sendable, Hashable, Codable, DescribedObject {
        package var percent: Double
        package var entriesPerSecond: Double
        package var secondsLeft: Double?

        package init(percent: Double, entriesPerSecond: Double, secondsLeft: Double?) {
            self.percent = percent
            self.entriesPerSecond = entriesPerSecond
            self.secondsLeft = secondsLeft
        }

        package static let object = ObjectDescription(
            "CatchUp", "How much has been read of what was written before the daemon started",
            [
                member("percent", \.percent, "From 0 to 100", 40),
                member("entries_per_second", \.entriesPerSecond, "How fast entries are read at present", 310_000),
                member("seconds_left", \.secondsLeft, "An estimate; absent while there is too little to make one", 12),
            ])
    }

    package struct UnreadableFile: Sendable, Hashable, Codable, DescribedObject {
        package var path: String
        package var reason: String

        package init(path: String, reason: String) {
            self.path = path
            self.reason = reason
        }

        package static let object = ObjectDescription(
            "UnreadableFile", "A journal file that cannot be read",
            [
                member("path", \.path, "The file", "/var/log/journal/m/user-1000.journal"),
                member("reason", \.reason, "Why it cannot be read", "Permission denied"),
            ])
    }

    package struct Entries: Sendable, Hashable, Codable, DescribedObject {
        package var read: Int64
        package var stored: Int64
        package var skipped: Int64
        package var duplicates: Int64
        package var expired: Int64

        package init(_ counts: EntryCounts) {
            read = counts.read
            stored = counts.stored
            skipped = counts.skipped
            duplicates = counts.duplicates
            expired = counts.expired
        }

        package static let object = ObjectDescription(
            "Entries", "What became of the entries that were read since the store was created",
            [
                member("read", \.read, "All entries: the sum of the other numbers", 1_203_400),
                member("stored", \.stored, "Entries that became events", 512_345),
                member("skipped", \.skipped, "Entries that no source takes", 690_000),
                member(
                    "duplicates", \.duplicates, "Entries found again in another file and not stored a second time", 55),
                member(
                    "expired", \.expired,
                    "Entries older than events are kept: the keep of their source, or else store.max_age", 1000),
            ])
    }

    package var location: String
    package var files: Int
    package var positionTime: WireTime?
    package var completeUntil: WireTime?
    package var lagSeconds: Double?
    package var entriesRead: Int64
    package var entriesPerSecond: Double
    package var entries: Entries?
    package var catchUp: CatchUp?
    package var unreadableFiles: [UnreadableFile]
    package var uncovered: [String]?

    package init(
        location: String, files: Int, positionTime: WireTime?, completeUntil: WireTime? = nil, lagSeconds: Double?,
        entriesRead: Int64, entriesPerSecond: Double, entries: Entries? = nil, catchUp: CatchUp?,
        unreadableFiles: [UnreadableFile], uncovered: [String]? = nil
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
        self.uncovered = uncovered
    }

    package static let object = ObjectDescription(
        "Journal", "How far the journal has been read",
        [
            member("location", \.location, "machine, namespace:NAME or directory:PATH", "machine"),
            member("files", \.files, "The number of journal files that are read", 12),
            member("position_time", \.positionTime, "When the entry that was read last was written", .example),
            member(
                "complete_until", \.completeUntil,
                """
                Every entry that the journal had by this time has been read, and is in the store if a source takes it. \
                Each request brings it up to date for the next one
                """, .example),
            member(
                "lag_seconds", \.lagSeconds,
                "How much older the oldest entry that is not stored yet is than the newest one; 0 when all are stored",
                0),
            member("entries_read", \.entriesRead, "The number of entries read since the daemon started", 1_234_567),
            member("entries_per_second", \.entriesPerSecond, "How fast entries are read at present", 12),
            member(
                "entries", \.entries,
                """
                What became of the entries that were read since the store was created; absent when the part of the \
                store that has these numbers is damaged
                """),
            member(
                "catch_up", \.catchUp,
                "How much has been read of what was written before the daemon started; absent when all of it has",
                showing: nil),
            member("unreadable_files", \.unreadableFiles, "Journal files that cannot be read", showing: []),
            member(
                "uncovered", \.uncovered,
                """
                The folders with journals that are not read because the settings name another one: of other machines \
                and namespaces, or within journal.directory; absent when there are none
                """, ["/var/log/journal/remote"]),
        ])
}
