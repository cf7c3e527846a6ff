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
    /// No event that is younger than this was removed; `nil` when none was at all.
    package var removedUntilMicroseconds: UInt64?
    /// Since the store was made, those included that are no longer kept.
    package var gapCount: Int64
    /// How many events `drop_oldest` removed before every sink had them.
    package var droppedEvents: Int64
    /// How often stored events were resolved again with later definitions.
    package var resolvedAgain: Int64

    package init(
        seen: [Resolution: Int64], entries: EntryCounts, storedEvents: Int64, oldestEventID: Int64?,
        newestEventID: Int64,
        oldestRealtimeMicroseconds: UInt64?, newestRealtimeMicroseconds: UInt64?, removedUntilMicroseconds: UInt64?,
        gapCount: Int64,
        droppedEvents: Int64, resolvedAgain: Int64
    ) {
        self.seen = seen
        self.entries = entries
        self.storedEvents = storedEvents
        self.oldestEventID = oldestEventID
        self.newestEventID = newestEventID
        self.oldestRealtimeMicroseconds = oldestRealtimeMicroseconds
        self.newestRealtimeMicroseconds = newestRealtimeMicroseconds
        self.removedUntilMicroseconds = removedUntilMicroseconds
        self.gapCount = gapCount
        self.droppedEvents = droppedEvents
        self.resolvedAgain = resolvedAgain
    }
}
