package import Model

/// What status shows of the store. Nothing of it is counted event by event.
package struct StoreStatistics: Sendable {
    /// Since the store was made; retention does not lower them.
    package var seen: [Resolution: Int64]
    /// What became of the entries that were read since the store was made.
    package var entries: EntryCounts
    package var storedEvents: Int64
    package var oldestEventID: Int64?
    /// The last id that was given, also when retention has removed that event; 0 when there never was one.
    package var newestEventID: Int64
    /// The time of the oldest event that is stored.
    package var oldestRealtimeMicroseconds: UInt64?
    /// The time of the newest event that is stored.
    package var newestRealtimeMicroseconds: UInt64?
    package var removed: RemovedUntil
    /// Since the store was made, those included that are no longer kept.
    package var gapCount: Int64
    /// How many events `drop_oldest` removed before every sink had them.
    package var droppedEvents: Int64
    /// How often stored events were reprocessed with later definitions.
    package var reprocessed: Int64

    package init(
        seen: [Resolution: Int64], entries: EntryCounts, storedEvents: Int64, oldestEventID: Int64?,
        newestEventID: Int64,
        oldestRealtimeMicroseconds: UInt64?, newestRealtimeMicroseconds: UInt64?, removed: RemovedUntil,
        gapCount: Int64, droppedEvents: Int64, reprocessed: Int64
    ) {
        self.seen = seen
        self.entries = entries
        self.storedEvents = storedEvents
        self.oldestEventID = oldestEventID
        self.newestEventID = newestEventID
        self.oldestRealtimeMicroseconds = oldestRealtimeMicroseconds
        self.newestRealtimeMicroseconds = newestRealtimeMicroseconds
        self.removed = removed
        self.gapCount = gapCount
        self.droppedEvents = droppedEvents
        self.reprocessed = reprocessed
    }
}

/// What the events of a source take of the store, the newest few thousand of all sources left out.
package struct SourceUse: Sendable, Hashable {
    /// The sources rule that took them.
    @Exact package var source: String
    package var events: Int64
    /// About, as sources share blocks.
    package var bytes: Int64
    /// What a rule of now says of them.
    package var retention = SourceRetention()
}

/// Until when retention removed events: those that are younger are all there. In microseconds since 1970.
package struct RemovedUntil: Sendable {
    /// Whosever they were; `nil` when none was removed so.
    package var any: UInt64?
    /// Of the sources that have a time or a share of their own.
    package var bySource: [ExactString: UInt64]

    package init(any: UInt64? = nil, bySource: [ExactString: UInt64] = [:]) {
        self.any = any
        self.bySource = bySource
    }

    /// - Parameter sources: those that there are now. What was removed of others may be theirs by now.
    package func adopted(by sources: Set<ExactString>) -> RemovedUntil {
        let others = bySource.filter { !sources.contains($0.key) }.values
        return RemovedUntil(
            any: (others + [any].compactMap(\.self)).max(), bySource: bySource.filter { sources.contains($0.key) })
    }

    /// Of a source; `nil` when none of its events was removed.
    package func time(of source: String) -> UInt64? { [any, bySource[ExactString(source)]].compactMap(\.self).max() }

    /// Of any event.
    package var latest: UInt64? { (bySource.values + [any].compactMap(\.self)).max() }
}
