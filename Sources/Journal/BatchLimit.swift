/// How much one read of the journal may give. A batch ends at whichever limit is reached first.
package struct BatchLimit: Sendable, Hashable {
    /// Taken by a rule or not.
    package var maximumEntriesRead: Int
    /// Entries that a rule took.
    package var maximumEvents: Int
    /// Of payloads, and of the names that are new in it. The batch may be larger than this by one payload, that is, by `JournalOptions.maximumFieldBytes`.
    package var maximumEventBytes: Int

    package init(maximumEntriesRead: Int = 4096, maximumEvents: Int = 2048, maximumEventBytes: Int = 1 << 20) {
        self.maximumEntriesRead = max(1, maximumEntriesRead)
        self.maximumEvents = max(1, maximumEvents)
        self.maximumEventBytes = max(1, maximumEventBytes)
    }
}
