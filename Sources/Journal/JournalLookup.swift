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

    /// Every field of the entry, in the order of the file, each cut off at `options.maximumFieldBytes`.
    /// - Returns: `nil` when the entry is no longer in the journal.
    /// - Throws: `JournalError` when the journal cannot be read.
    package func fields(at cursor: JournalCursor) async throws(JournalError) -> [JournalField]? {
        let journal = try JournalHandle(options.location)
        try journal.seek(cursor)
        guard try journal.next() else { return nil }
        let entry = try journal.cursor()
        guard entry == cursor || entry.isSameEntry(as: cursor) else { return nil }

        var fields: [JournalField] = []
        var rest = Self.maximumEntryBytes
        try journal.forEachField { field in
            let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
            let value = field[end...].dropFirst()
            let kept = value.prefix(min(options.maximumFieldBytes, rest))
            rest -= kept.count
            let name = String(decoding: field[..<end], as: UTF8.self)
            fields.append(JournalField(name: name, value: Array(kept), isCut: kept.count < value.count))
        }
        return fields
    }
}
