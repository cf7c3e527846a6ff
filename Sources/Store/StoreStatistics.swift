package import Model

/// The statistics of the store for `status`. None of them requires counting events.
package struct StoreStatistics: Sendable {
    /// The number of events by resolution since the store was created. Retention does not decrease it.
    package var seen: [Resolution: Int64]
    /// The results of the entries that were read since the store was created.
    package var entries: EntryCounts
    package var storedEvents: Int64
    package var oldestEventID: Int64?
    /// The last id that was assigned, even if retention has removed that event; 0 when there has been none.
    package var newestEventID: Int64
    /// The time of the oldest stored event.
    package var oldestRealtimeMicroseconds: UInt64?
    /// The time of the newest stored event.
    package var newestRealtimeMicroseconds: UInt64?
    /// The number of events that `drop_oldest` removed before every sink had them.
    package var droppedEvents: Int64
    /// How often stored events were reprocessed with later definitions.
    package var reprocessed: Int64
}

/// The space that the events of a source take, without the newest few thousand events of all sources.
package struct SourceUse: Sendable, Hashable {
    /// The sources rule that took the events.
    @Exact package var source: String
    package var events: Int64
    /// Approximate, since sources share blocks.
    package var bytes: Int64
    /// The retention that the current settings define for the source.
    package var retention = SourceRetention()
}

/// The times until which retention removed events, in microseconds since 1970. All younger events are stored.
package struct RemovedUntil: Sendable {
    /// The time for removals regardless of the source; `nil` when there was none.
    package var any: UInt64?
    /// The times for sources that have a retention of their own.
    package var bySource: [ExactString: UInt64]

    package init(any: UInt64? = nil, bySource: [ExactString: UInt64] = [:]) {
        self.any = any
        self.bySource = bySource
    }

    /// Returns the times up to `now`. If a later one is known, nothing is known of the times before it.
    func notAfter(_ now: UInt64) -> RemovedUntil {
        RemovedUntil(any: any.flatMap { $0 <= now ? $0 : nil }, bySource: bySource.filter { $0.value <= now })
    }

    /// Returns the times with the removals of sources that no longer exist applied to all sources, since their events
    /// may belong to others by now.
    /// - Parameter sources: the current sources.
    package func adopted(by sources: Set<ExactString>) -> RemovedUntil {
        let others = bySource.filter { !sources.contains($0.key) }.values
        return RemovedUntil(
            any: (others + [any].compactMap(\.self)).max(), bySource: bySource.filter { sources.contains($0.key) })
    }

    /// Returns the time of a source; `nil` when none of its events was removed.
    package func time(of source: String) -> UInt64? { [any, bySource[ExactString(source)]].compactMap(\.self).max() }

    /// The latest time of a removal of any event.
    package var latest: UInt64? { (bySource.values + [any].compactMap(\.self)).max() }
}
