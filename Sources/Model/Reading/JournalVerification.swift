/// What a journal as it is now shows of what was made of it, entry by entry.
package struct JournalVerification: Sendable, Hashable {
    /// Entries whose events are in the store.
    package var stored: Int64 = 0
    /// No source takes them, as the settings are now.
    package var passed: Int64 = 0
    /// A full file has them half-written, the next one whole.
    package var duplicates: Int64 = 0
    /// Older than events are kept, or than the oldest events that retention has left.
    package var expired: Int64 = 0
    /// They cannot be read, and gap records say so.
    package var damaged: Int64 = 0
    /// They should be in the store and are not, or cannot be read and no gap record says so.
    package var unexplained: Int64 = 0
    /// Sequence numbers that no file has and that gap records name.
    package var missing: Int64 = 0
    /// Sequence numbers that no file has, as little as any gap record or what was read before tells of them.
    package var unexplainedNumbers: Int64 = 0
    /// Entries that were not read yet when it began.
    package var unread: Int64 = 0
    /// Files and folders that cannot be read: nothing is known of what they have.
    package var unreadableFiles: Int64 = 0
    /// The first of what is unexplained or unreadable, in words.
    package var examples: [String] = []

    package init() {}

    package static let maximumExamples = 20

    /// How many entries were looked at: those that were read before and are left in the journal's files. Each is in one of
    /// these counts.
    package var entries: Int64 { stored + passed + duplicates + expired + damaged + unexplained }

    /// Whether everything is accounted for.
    package var isWhole: Bool { unexplained == 0 && unexplainedNumbers == 0 && unreadableFiles == 0 }

    package mutating func addExample(_ text: @autoclosure () -> String) {
        if examples.count < Self.maximumExamples { examples.append(text()) }
    }
}
