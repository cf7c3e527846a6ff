/// Who reads the store. Each lane has a connection of its own, so that none waits for another. Within a lane reads take
/// turns, in the order in which they were asked for, and each has little time: who wants more asks again.
package enum ReadLane: Sendable, CaseIterable {
    /// Counters and single rows, which are there at once.
    case status
    /// What sinks send, and the newest events that are packed.
    case delivery
    /// Dictionaries as they were, and the events that are reprocessed.
    case definitions
    /// Queries that are answered from counters and from what repeats: names, levels, times.
    case query
    /// Queries that look into payloads.
    case search
}
