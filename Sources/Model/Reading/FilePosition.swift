/// How far a journal file was read.
package struct FilePosition: Hashable, Sendable {
    /// Of the file, whatever it is called; copies share it.
    package var fileID: ID128
    /// Where it was last.
    @Exact package var path: String
    /// Whose it is, and the counter of its entries.
    package var machineID: ID128
    package var seqnumID: ID128
    /// How many of its entries were read, or are lost.
    package var entries: UInt64
    /// Behind the last of them, in bytes.
    package var offset: UInt64
    /// The last entry that was read; `nil` when none was.
    package var last: Last?
    /// How many entries its header counted when it was looked at last: those that were not read are missing if the file is
    /// gone.
    package var promisedEntries: UInt64
    /// The sequence numbers of the first and the last of those; `nil` when there is none.
    package var promisedSeqnums: ClosedRange<UInt64>?

    /// An entry, and where it is in its file.
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
