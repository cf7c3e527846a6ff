import Glibc
import Model

/// A journal file that entries are looked up in.
final class OpenedFile {
    let path: String
    let header: FileHeader
    private let file: OpenFile
    private var reading: FileReading<OpenFile>
    private let entryKey: ID128

    /// One that this process may not open has no entries here: usually it was never readable, and status names it.
    /// - Throws: `JournalError` for another error of the system.
    init?(path: String, _ entryKey: ID128) throws(JournalError) {
        (self.path, self.entryKey) = (path, entryKey)
        do throws(FormatError) {
            let file = try OpenFile(path: path)
            do throws(FormatError) {
                (header, self.file) = (try file.header(), file)
                reading = FileReading(file, number: 0, header, end: try file.size(), windowBytes: 16 << 10)
            } catch {
                file.close()
                throw error
            }
        } catch .io(EACCES), .io(EPERM) {
            return nil
        } catch {
            try Self.check(error, of: path)
            return nil
        }
    }

    deinit { file.close() }

    /// A file that is not a journal file, is damaged, or was just deleted has no entries.
    /// - Throws: `JournalError` for an error of the system.
    private static func check(_ error: FormatError, of path: String) throws(JournalError) {
        guard case .io(let errno) = error, errno != ENOENT else { return }
        throw JournalError(call: "read \(path)", errno: errno)
    }

    /// - Parameter walks: whether all entries are examined if the arrays do not lead to the one that should be there.
    /// - Returns: the entry, under any number; `nil` when the file does not have it.
    /// - Throws: `JournalError` for an error of the system.
    func entry(_ place: EntryPlace, walks: Bool) throws(JournalError) -> EntryHead? {
        do throws(FormatError) {
            let isNumbered = header.isNumbered(place.cursor)
            if isNumbered, let entry = try search(place, isBefore: { $0.seqnum < place.cursor.seqnum }) { return entry }
            // The flush of newer versions of journald gives an entry another number of the same counter.
            let time = place.cursor.realtimeMicroseconds
            if let entry = try search(place, isBefore: { $0.realtimeMicroseconds < time }) { return entry }
            return isNumbered && walks ? try walk(to: place) : nil
        } catch {
            try Self.check(error, of: path)
            return nil
        }
    }

    private func isSame(_ entry: EntryHead, _ place: EntryPlace) -> Bool {
        // The hash is of the boot and the times, too.
        entry.hash(entryKey) == place.entryHash
    }

    /// Searches with the arrays, which works as long as numbers ascend and, unless the clock was set, times.
    private func search(_ place: EntryPlace, isBefore: (EntryHead) -> Bool) throws(FormatError) -> EntryHead? {
        guard var index = try reading.firstIndex(notBefore: isBefore) else { return nil }
        // There may be many entries of one time.
        while index < header.entryCount, let entry = try reading.entry(index),
            entry.realtimeMicroseconds == place.cursor.realtimeMicroseconds
        {
            if isSame(entry, place) { return entry }
            index += 1
        }
        return nil
    }

    /// Searches from the first entry on, around damage.
    private func walk(to place: EntryPlace) throws(FormatError) -> EntryHead? {
        while true {
            switch try reading.next() {
            case .end: return nil
            case .lost: continue
            case .entry(let entry): if isSame(entry, place) { return entry }
            }
        }
    }

    /// Reads all fields of an entry that `LookupFiles.find` has returned, in the order of the file.
    /// - Parameters:
    ///   - limit: the most bytes of one field with its name.
    ///   - isWanted: receives the beginning of a field, before the rest is read.
    ///   - body: receives each field that is wanted, and whether it is longer than that.
    /// - Returns: how many fields could not be read; one if the entry is gone.
    /// - Throws: `JournalError` for an error of the system.
    func forEachField(
        of entry: EntryHead, limit: Int, isWanted: (RawSpan) -> Bool = { _ in true },
        _ body: (UnsafeRawBufferPointer, _ isCut: Bool) -> Void
    ) throws(JournalError) -> Int {
        do throws(FormatError) {
            guard let offsets = try reading.items(of: entry) else { return 1 }
            var fields = FieldReader()
            var damaged = entry.isDamaged ? 1 : 0
            for offset in offsets {
                do throws(FieldReader.Failure) {
                    _ = try reading.read(
                        at: offset, by: &fields, limit: limit, isWanted: isWanted,
                        body: { field, isCut in field.withUnsafeBytes { body($0, isCut) } })
                } catch {
                    if case .file(let error) = error { throw error }
                    damaged += 1
                }
            }
            return damaged
        } catch {
            try Self.check(error, of: path)
            return 1
        }
    }
}

extension FileHeader {
    /// Whether the file should have the entry with that number.
    func isNumbered(_ cursor: JournalCursor) -> Bool {
        seqnumID == cursor.seqnumID && headSeqnum <= cursor.seqnum && cursor.seqnum <= tailSeqnum
    }
}
