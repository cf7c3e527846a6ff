/// What is to be reached with a workload, as the table says it.
struct WorkloadGoals: Sendable {
    /// Beside `journalctl -o json`, and beside libsystemd alone.
    var catchUp: String
    var enumerate: String
    /// Private memory while catching up.
    var memory: String
    var bytesPerEvent: String
    /// The slowest report.
    var report: String
    /// Events a second.
    var everything: String
    /// Private memory meanwhile.
    var everythingMemory: String
    /// Of a core when nothing happens; `nil` where that is not measured.
    var idle: String?
}
