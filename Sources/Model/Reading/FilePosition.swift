/// How far a journal file was read.
package struct FilePosition: Hashable, Sendable {
    /// The id of the file, independent of its name; copies share it.
    package var fileID: ID128
    /// The path where the file was last found.
    @Exact package var path: String
    /// The machine that wrote it; below, the counter that numbers its entries.
    package var machineID: ID128
    package var seqnumID: ID128
    /// The number of its entries that were read or are lost.
    package var entries: UInt64
    /// The offset after the last of them, in bytes.
    package var offset: UInt64
    /// The last entry that was read; `nil` when none was.
    package var last: Last?
    /// The number of entries in its header when the file was last examined. If the file is gone, those that were not
    /// read are missing.
    package var promisedEntries: UInt64
    /// The sequence numbers of the first and the last of those entries; `nil` when there are none.
    package var promisedSeqnums: ClosedRange<UInt64>?

    /// Whether the file may have so many entries after one of its own; `nil` for the beginning.
    package func mayHave(_ count: UInt64, after entry: JournalCursor?) -> Bool {
        guard let entry else { return promisedEntries >= count }
        // Each has a number, and entries of other files may have some as well.
        return promisedSeqnums.map { $0.upperBound > entry.seqnum && $0.upperBound - entry.seqnum >= count } ?? false
    }

    /// An entry and its position in the file.
    package struct Last: Hashable, Sendable {
        package var cursor: JournalCursor
        package var offset: UInt64

        package init(cursor: JournalCursor, offset: UInt64) {
            self.cursor = cursor
            self.offset = offset
        }
    }

    package init(
        fileID: ID128, path: String, machineID: ID128, seqnumID: ID128, entries: UInt64, offset: UInt64, last: Last?,
        promisedEntries: UInt64, promisedSeqnums: ClosedRange<UInt64>?
    ) {
        self.fileID = fileID
        self.path = path
        self.machineID = machineID
        self.seqnumID = seqnumID
        self.entries = entries
        self.offset = offset
        self.last = last
        self.promisedEntries = promisedEntries
        self.promisedSeqnums = promisedSeqnums
    }
}
