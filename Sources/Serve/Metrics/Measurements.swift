import API
import Linux
import Model

/// Everything that metrics are read from.
struct Measurements: Sendable {
    var status: StatusReply
    /// How many gap records there ever were; `nil` if the store cannot say.
    var gapsEverSeen: Int64?
    /// The sinks as they are, even if the store cannot say how far they are.
    var sinks: [SinkActivity]
    /// The sinks that the store has numbers of; `nil` if it cannot say.
    var sinkRecords: [SinkRecord]?
    var counts: DaemonCounts
    /// The alert rules.
    var alerts: [AlertReply]
    /// The number of runs of checklists by their state.
    var runs: [ChecklistReply.State: Int]
    /// Whether damage of the store was met.
    var isDamaged: Bool
    /// How long the store's transactions took.
    var commits: Histogram.Counts
    var requests: [RequestTimes.Key: Histogram.Counts]
    var process: ProcessUse

    /// The sinks whose numbers are known.
    var knownSinks: [SinkStatus] {
        status.sinks.filter { sink in sinkRecords?.contains { $0.name == sink.name } ?? false }
    }
}
