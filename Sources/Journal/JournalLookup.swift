package import Model

/// Reads single entries back, all of their fields. It opens the journal for each question, so that it keeps no deleted
/// files alive between them, and has a thread of its own, so that it never waits for a reader.
package actor JournalLookup {
    /// Of all fields of one entry together; what is beyond is cut off.
    private static let maximumEntryBytes = 16 << 20

    private let thread: JournalThread
    private let options: JournalOptions

    package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Throws: `JournalError` when the thread cannot be started.
    package init(options: JournalOptions) throws(JournalError) {
        thread = try JournalThread()
        self.options = options
    }

    package struct Entry: Sendable {
        /// In the order of the file, each cut off at `options.maximumFieldBytes`.
        package var fields: [JournalField] = []
        /// How many bytes the fields' values have together.
        package var bytes = 0
    }

    /// Every field of the entry; none where they have more than `bytes` together, which `Entry.bytes` then says.
    /// - Returns: `nil` when the entry is no longer in the journal.
    /// - Throws: `JournalError` when the journal cannot be read.
    package func entry(at cursor: JournalCursor, bytes: Int = .max) async throws(JournalError) -> Entry? {
        let journal = try JournalHandle(options.location)
        try journal.seek(cursor)
        guard try journal.next() else { return nil }
        let place = try journal.cursor()
        guard place == cursor || place.isSameEntry(as: cursor) else { return nil }

        var found = Entry()
        var rest = Self.maximumEntryBytes
        try journal.forEachField { field in
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let value = field[end...].dropFirst()
            let kept = value.prefix(min(options.maximumFieldBytes, rest))
            rest -= kept.count
            found.bytes += kept.count
            guard found.bytes <= bytes else { return found.fields = [] }
            let name = String(decoding: field[..<end], as: UTF8.self)
            found.fields.append(JournalField(name: name, value: Array(kept), isCut: kept.count < value.count))
        }
        return found
    }
}
