import CSystemd
import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

/// A file in memory.
struct ByteArray: ByteSource {
    var bytes: [UInt8]

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FormatError) -> Int {
        guard offset < UInt64(bytes.count) else { return 0 }
        let count = min(buffer.count, bytes.count - Int(offset))
        bytes.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
        }
        return count
    }
}

extension FileHeader {
    /// The size of the part that is used. A header may be longer: `headerBytes`.
    static let maximumBytes = 272
}

/// Everything that is read from a journal file.
struct FileContents: Equatable {
    var entries: [JournalFileBuilder.Entry] = []
    var lostEntries: UInt64 = 0
    /// Where the entries refer to.
    var damagedFields: [UInt64] = []
    /// Of fields that are longer than the limit.
    var cutFields = 0

    /// By the reader under test.
    init(_ bytes: [UInt8], limit: Int = 1 << 20) throws {
        let file = ByteArray(bytes: bytes)
        let header = try bytes.withUnsafeBytes { bytes throws(FormatError) in
            try FileHeader(UnsafeRawBufferPointer(rebasing: bytes.prefix(FileHeader.maximumBytes)).bytes)
        }
        let end = UInt64(bytes.count)
        var walk = EntryWalk(header)
        // Small ones, so that what is far apart is read again.
        var window = FileWindow(bytes: 1 << 16)
        var far = FileWindow(bytes: 1 << 12)
        var fields = FieldReader()
        // What a header may say is without a bound; what a file can hold is not.
        let count = min(header.entryCount, end / UInt64(EntryHead.bytes))
        // Each step gives an entry, or passes over one at least.
        for _ in 0...count {
            switch try walk.next(file, &window, entryCount: count, end: end) {
            case .end: return
            case .lost(let number, _): lostEntries += number
            case .entry(let entry):
                let items = window.with(entry.offset, entry.size) { object in
                    (0..<walk.itemCount(of: entry)).map { walk.item($0, of: object) }
                }
                var read: [[UInt8]] = []
                for item in items {
                    do throws(FieldReader.Failure) {
                        let field = try fields.read(
                            file, &far, header, at: item, end: end, limit: limit, isWanted: { _ in true },
                            body: { field, isCut in (bytes: field.withUnsafeBytes { Array($0) }, isCut: isCut) })
                        if let field {
                            read.append(field.bytes)
                            if field.isCut { cutFields += 1 }
                        }
                    } catch {
                        switch error {
                        case .damaged: damagedFields.append(item)
                        case .file(let error): throw error
                        }
                    }
                }
                entries.append(
                    JournalFileBuilder.Entry(
                        seqnum: entry.seqnum, realtimeMicroseconds: entry.realtimeMicroseconds,
                        monotonicMicroseconds: entry.monotonicMicroseconds, bootID: entry.bootID, fields: read.sorted())
                )
            }
        }
        Issue.record("the walk has no end")
    }

    /// By libsystemd.
    /// - Parameter isSorted: `false` leaves the fields in the order in which it gives them.
    init(libsystemd path: String, isSorted: Bool = true) throws {
        var journal: OpaquePointer?
        let status = path.withCString { path in
            var paths: [UnsafePointer<CChar>?] = [path, nil]
            return sd_journal_open_files(&journal, &paths, 0)
        }
        guard status >= 0 else { throw JournalError(call: "sd_journal_open_files", errno: -status) }
        defer { sd_journal_close(journal) }
        sd_journal_set_data_threshold(journal, 0)
        while sd_journal_next(journal) > 0 {
            var entry = try Self.entry(journal)
            if isSorted { entry.fields = entry.fields.sorted() }
            entries.append(entry)
        }
    }

    private static func entry(_ journal: OpaquePointer?) throws -> JournalFileBuilder.Entry {
        var text: UnsafeMutablePointer<CChar>?
        guard sd_journal_get_cursor(journal, &text) >= 0, let text else {
            throw JournalError(call: "cursor", errno: EBADMSG)
        }
        defer { free(text) }
        guard let cursor = JournalCursor(String(cString: text)) else {
            throw JournalError(call: "cursor", errno: EBADMSG)
        }
        var fields: [[UInt8]] = []
        var data: UnsafeRawPointer?
        var count = 0
        sd_journal_restart_data(journal)
        while sd_journal_enumerate_available_data(journal, &data, &count) > 0 {
            fields.append(Array(UnsafeRawBufferPointer(start: data, count: count)))
        }
        return JournalFileBuilder.Entry(
            seqnum: cursor.seqnum, realtimeMicroseconds: cursor.realtimeMicroseconds,
            monotonicMicroseconds: cursor.monotonicMicroseconds, bootID: cursor.bootID,
            fields: fields)
    }
}

extension [[UInt8]] {
    func sorted() -> [[UInt8]] { sorted { $0.lexicographicallyPrecedes($1) } }
}

/// All cursors of a journal, in its order, by libsystemd.
func cursors(in folder: URL) throws -> [JournalCursor] {
    var journal: OpaquePointer?
    let status = sd_journal_open_directory(&journal, folder.path(percentEncoded: false), 0)
    guard status >= 0 else { throw JournalError(call: "sd_journal_open_directory", errno: -status) }
    defer { sd_journal_close(journal) }
    var cursors: [JournalCursor] = []
    while sd_journal_next(journal) > 0 {
        var text: UnsafeMutablePointer<CChar>?
        sd_journal_get_cursor(journal, &text)
        defer { free(text) }
        cursors.append(try #require(text.flatMap { JournalCursor(String(cString: $0)) }))
    }
    return cursors
}

/// The sequence numbers of what journalctl shows of a file, until it gives up; it may also loop or crash. An entry without a
/// boot is none.
func seqnumsByJournalctl(_ file: String) throws -> Set<UInt64> {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    process.arguments = ["10", Tool.journalctl.path, "--file", file, "-o", "export", "--no-pager"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let lines = output.fileHandleForReading.readDataToEndOfFile().split(separator: UInt8(ascii: "\n"))
    process.waitUntilExit()
    let cursors = lines.filter { $0.starts(with: "__CURSOR=".utf8) }.map { String(decoding: $0, as: UTF8.self) }
    return Set(
        cursors.compactMap { JournalCursor(String($0.dropFirst(9))) }.filter { $0.bootID != ID128(high: 0, low: 0) }
            .map(\.seqnum))
}
