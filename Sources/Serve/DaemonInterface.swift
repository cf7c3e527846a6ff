package import API
package import Model

/// What serving needs to know or to have done that is not in the store. Calls may come at any time, from any task,
/// several at once.
package struct DaemonInterface: Sendable {
    package var status: @Sendable () async -> DaemonStatus
    /// In the order of the settings.
    package var dictionaries: @Sendable () async -> [LoadedDictionary]
    /// Reads settings and dictionaries again, all or nothing. A `Problem` that it throws is the answer as it stands;
    /// any other error is answered with 500 and its description.
    package var reload: @Sendable () async throws -> ReloadReply
    /// The journal entry at the cursor; `nil` when it is no longer in the journal. Where its values have more bytes
    /// together than the second argument, it comes without fields.
    package var journalEntry: @Sendable (JournalCursor, Int) async throws -> JournalEntry?
    /// Holds the store against the journal as it is now. Gets the time before which entries are left out, in microseconds
    /// since 1970, and whom to tell now and then what was found so far, and which part of the entries that is, 0 to 1.
    package var verify: Verify
    /// What stands in payloads in place of a value that is hashed.
    package var hashed: @Sendable (String) -> String
    /// Called with the number of open tails whenever it changes, in order. It must return at once.
    package var tailsChanged: @Sendable (Int) -> Void

    package typealias Verify =
        @Sendable (UInt64, (JournalVerification, Double) async throws -> Void) async throws -> JournalVerification

    package init(
        status: @escaping @Sendable () async -> DaemonStatus,
        dictionaries: @escaping @Sendable () async -> [LoadedDictionary],
        reload: @escaping @Sendable () async throws -> ReloadReply,
        journalEntry: @escaping @Sendable (JournalCursor, Int) async throws -> JournalEntry?,
        verify: @escaping Verify,
        hashed: @escaping @Sendable (String) -> String,
        tailsChanged: @escaping @Sendable (Int) -> Void
    ) {
        self.status = status
        self.dictionaries = dictionaries
        self.reload = reload
        self.journalEntry = journalEntry
        self.verify = verify
        self.hashed = hashed
        self.tailsChanged = tailsChanged
    }
}

package struct JournalEntry: Sendable {
    package var fields: [JournalField]
    /// How many bytes all values have together, where they were left out, too.
    package var bytes: Int

    package init(fields: [JournalField], bytes: Int) {
        self.fields = fields
        self.bytes = bytes
    }
}

/// The parts of `GET /v1/status` that are not in the store.
package struct DaemonStatus: Sendable {
    package var version: String
    package var state: StatusReply.State
    package var problems: [StatusProblem]
    package var startedAtMicroseconds: UInt64
    /// By a clock that is never set.
    package var uptime: Duration
    package var pid: Int32
    package var journal: JournalStatus
    package var sinks: [SinkActivity]
    /// Whether the intake waits for room in the store.
    package var isPaused: Bool
    package var privacy: PrivacyMode
    /// `nil` when nothing is being reprocessed.
    package var reprocessing: StatusReply.ReprocessingProgress?

    package init(
        version: String, state: StatusReply.State, problems: [StatusProblem], startedAtMicroseconds: UInt64,
        uptime: Duration, pid: Int32, journal: JournalStatus, sinks: [SinkActivity], isPaused: Bool,
        privacy: PrivacyMode = .protect, reprocessing: StatusReply.ReprocessingProgress? = nil
    ) {
        self.version = version
        self.state = state
        self.problems = problems
        self.startedAtMicroseconds = startedAtMicroseconds
        self.uptime = uptime
        self.pid = pid
        self.journal = journal
        self.sinks = sinks
        self.isPaused = isPaused
        self.privacy = privacy
        self.reprocessing = reprocessing
    }
}
