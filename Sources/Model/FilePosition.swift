/// How far a journal file was read.
package struct FilePosition: Hashable, Sendable {
    /// Of the file, whatever it is called; copies share it.
    package var fileID: ID128
    /// How many of its entries were read, or are lost.
    package var entries: UInt64
    /// Behind the last of them, in bytes.
    package var offset: UInt64
    /// The last entry that was read; `nil` when none was.
    package var last: Last?

    /// An entry, and where it is in its file.
    package struct Last: Hashable, Sendable {
        package var cursor: JournalCursor
        package var offset: UInt64

        package init(cursor: JournalCursor, offset: UInt64) {
            self.cursor = cursor
            self.offset = offset
        }
    }

    package init(fileID: ID128, entries: UInt64, offset: UInt64, last: Last?) {
        self.fileID = fileID
        self.entries = entries
        self.offset = offset
        self.last = last
    }
}
