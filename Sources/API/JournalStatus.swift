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

    /// `machine`, `namespace:NAME` or `directory:PATH`.
    package var location: String
    /// The last entry that was read.
    package var cursor: String?
    /// When that entry was written.
    package var positionTime: WireTime?
    /// Every entry that the journal had by then has been read, and what the sources take of it is in the store. Each
    /// question for the status brings it up to date, for the next one.
    package var completeUntil: WireTime?
    /// How much older that entry is than the newest one of the journal.
    package var lagSeconds: Double?
    /// Since the daemon started.
    package var entriesRead: Int64
    package var entriesPerSecond: Double
    package var catchUp: CatchUp?
    package var unreadableFiles: [UnreadableFile]

    package init(
        location: String, cursor: String?, positionTime: WireTime?, completeUntil: WireTime? = nil, lagSeconds: Double?,
        entriesRead: Int64, entriesPerSecond: Double, catchUp: CatchUp?, unreadableFiles: [UnreadableFile]
    ) {
        self.location = location
        self.cursor = cursor
        self.positionTime = positionTime
        self.completeUntil = completeUntil
        self.lagSeconds = lagSeconds
        self.entriesRead = entriesRead
        self.entriesPerSecond = entriesPerSecond
        self.catchUp = catchUp
        self.unreadableFiles = unreadableFiles
    }
}
