import Glibc
import Model

/// A file of a journal, and how far it was read.
final class JournalFile {
    let path: String
    /// What the file was opened as; its name may change.
    let fileID: ID128
    private var reading: FileReading<OpenFile>
    /// The entry that comes next, which the window holds.
    private var next: EntryHead?

    /// - Parameters:
    ///   - number: that no other file has which is read at the same time.
    ///   - windowBytes: how much of the file is in memory at a time.
    /// - Throws: `FormatError` for what is no journal file that can be read.
    init(_ path: String, number: UInt16, windowBytes: Int) throws(FormatError) {
        self.path = path
        let source = try OpenFile(path: path)
        do {
            let header = try source.header()
            fileID = header.fileID
            reading = FileReading(source, number: number, header, end: try source.size(), windowBytes: windowBytes)
        } catch {
            close(source.descriptor)
            throw error
        }
    }

    deinit { close(reading.source.descriptor) }

    var header: FileHeader { reading.header }

    /// Looks how many entries the file has by now.
    /// - Returns: whether there are more than before.
    func look() throws(FormatError) -> Bool {
        let header = try reading.source.header()
        guard header.entryCount != reading.header.entryCount else { return false }
        reading.refresh(header, end: try reading.source.size())
        return true
    }

    /// When the entry that comes next was written, in microseconds since 1970; `nil` when there is none, and `lost` has
    /// what could not be read before it.
    func nextTime(_ lost: (UInt64, Range<UInt64>) -> Void) throws(FormatError) -> UInt64? {
        while next == nil {
            switch try reading.next() {
            case .entry(let entry): next = entry
            case .lost(let count, let range): lost(count, range)
            case .end: return nil
            }
        }
        return next?.realtimeMicroseconds
    }

    /// Reads entries until one is newer than `until`, or the batch is full.
    func read(
        _ entries: inout EntryReader, until: UInt64, limit: BatchLimit, into batch: inout EntryBatch,
        lost: (UInt64, Range<UInt64>) -> Void
    ) throws(FormatError) {
        while let entry = next, entry.realtimeMicroseconds <= until, !batch.isFull(limit) {
            batch.entriesRead += 1
            if try entries.read(entry, of: &reading, into: &batch) == .damaged { lost(1, entry.offset..<entry.end) }
            next = nil
            _ = try nextTime(lost)
        }
    }
}

extension EntryBatch {
    func isFull(_ limit: BatchLimit) -> Bool {
        entriesRead >= limit.maximumEntriesRead || entries.count >= limit.maximumEvents
            || bytes.count >= limit.maximumEventBytes
    }
}
