/// The result of comparing the current journal, entry by entry, with what Gloss stored and recorded.
package struct JournalVerification: Sendable, Hashable {
    /// Entries whose events are in the store.
    package var stored: Int64 = 0
    /// Entries that no source takes with the current settings.
    package var skipped: Int64 = 0
    /// Entries that a full file has half-written and the next file has whole.
    package var duplicates: Int64 = 0
    /// Entries older than events are kept, or older than the oldest events that retention has left.
    package var expired: Int64 = 0
    /// Entries that cannot be read, with gap records that say so.
    package var damaged: Int64 = 0
    /// Entries that should be in the store and are not, or that cannot be read without a gap record that says so.
    package var unexplained: Int64 = 0
    /// Sequence numbers that no file has and that gap records name.
    package var missing: Int64 = 0
    /// Sequence numbers that no file has, no gap record names and no earlier read has seen.
    package var unexplainedNumbers: Int64 = 0
    /// Entries that had not been read when the verification began.
    package var unread: Int64 = 0
    /// Files and folders that cannot be read: their content is unknown.
    package var unreadableFiles: Int64 = 0
    /// The first of the unexplained and unreadable things, as sentences.
    package var examples: [String] = []

    package init() {}

    package static let maximumExamples = 20

    /// The number of entries that were examined: those that were read earlier and are still in the journal's files.
    /// Each is in one of these counts.
    package var entries: Int64 { stored + skipped + duplicates + expired + damaged + unexplained }

    /// Whether everything is accounted for.
    package var isWhole: Bool { unexplained == 0 && unexplainedNumbers == 0 && unreadableFiles == 0 }

    package mutating func addExample(_ text: @autoclosure () -> String) {
        if examples.count < Self.maximumExamples { examples.append(text()) }
    }
}
