package import API
package import Model
package import Watches

/// What the control API needs from the daemon besides the store. Calls may come from any task and overlap.
package protocol DaemonInterface: Sendable {
    var checklists: ChecklistKeeper { get }
    var alerts: AlertKeeper { get }

    func status() async -> DaemonStatus
    /// What it has counted since it started.
    func counts() async -> DaemonCounts
    /// The dictionaries, in the order of the settings.
    func dictionaries() async -> [LoadedDictionary]
    /// The dictionary of a name; `nil` if there is none.
    func dictionary(_ name: String) async -> LoadedDictionary?
    /// The sources, as the journal is read by them.
    func rules() async -> [SourceRule]
    /// Predicates by the names that `@name` stands for.
    func predicates() async -> [ExactString: ExactString]
    /// How often dictionaries and named predicates were replaced. It has grown before any event is resolved by new
    /// ones.
    func replacements() -> Int
    /// Reads settings and dictionaries again. A `Problem` that it throws is the reply; any other error is answered
    /// with 500 and its description.
    func reload() async throws -> ReloadReply
    /// Reads the journal entry of an event; `nil` if it is no longer in the journal. If its values have more than so
    /// many bytes together, the entry comes without fields.
    func journalEntry(_ place: EntryPlace, bytes: Int) async throws -> JournalEntry?
    /// Compares the store with the current journal.
    /// - Parameters:
    ///   - since: entries before this time are left out; microseconds since 1970.
    ///   - progress: called from time to time with what was found so far, and with the part of the entries that was
    ///     examined, from 0 to 1.
    func verify(
        since: UInt64, progress: (JournalVerification, Double) async throws -> Void
    ) async throws -> JournalVerification
    /// Returns the text that replaces a hashed value in payloads.
    func hash(of value: String) -> String
    /// Called with the number of open tails whenever it changes, in order. It must not block.
    func tailsChanged(_ count: Int)
    func diagnosticList() async -> DiagnosticList
}

/// The parts of `GET /v1/status` that are not in the store.
package struct DaemonStatus: Sendable {
    package var version: String
    package var state: StatusReply.State
    package var problems: [StatusProblem]
    package var startedAtMicroseconds: UInt64
    /// By a clock that is never adjusted.
    package var uptime: Duration
    package var pid: Int32
    package var journal: JournalStatus
    package var sinks: [SinkActivity]
    /// Whether the intake waits until the store takes events again.
    package var isPaused: Bool
    package var privacy: PrivacyMode
    /// `nil` if nothing is being reprocessed.
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

/// What the daemon has counted since it started, for `/metrics`.
package struct DaemonCounts: Sendable {
    /// The events that were stored, by the resolution that they had then.
    package var stored: [Resolution: Int64]
    /// The time from when the entry of an event was written until the event was stored.
    package var delays: Histogram.Counts
    package var attempts: [SinkAttempts]
    /// How often each was raised or noted since the store was created; `nil` if that is not known.
    package var diagnostics: [Diagnostic: Int64]?

    package init(
        stored: [Resolution: Int64] = [:], delays: Histogram.Counts = .init(), attempts: [SinkAttempts] = [],
        diagnostics: [Diagnostic: Int64]? = nil
    ) {
        self.stored = stored
        self.delays = delays
        self.attempts = attempts
        self.diagnostics = diagnostics
    }
}

/// How long those attempts of a sink took that had one outcome.
package struct SinkAttempts: Sendable {
    package var sink: String
    /// `done`, `retry` or `hold`.
    package var outcome: String
    package var times: Histogram.Counts

    package init(sink: String, outcome: String, times: Histogram.Counts) {
        self.sink = sink
        self.outcome = outcome
        self.times = times
    }
}
