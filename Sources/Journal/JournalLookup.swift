import Glibc
import Linux
package import Model

/// Reads single entries with all of their fields. It opens files for each request, so that it keeps no deleted files
/// alive between requests. It has a thread of its own, so that it never waits for a reader.
package struct JournalLookup: Sendable {
    /// The most bytes of all fields of one entry together; the rest is cut off.
    private static let maximumEntryBytes = 16 << 20

    private let queue = WorkQueue("gloss.journal.lookup")
    let options: JournalOptions
    let folders: JournalFolders

    package init(options: JournalOptions) {
        self.options = options
        folders = JournalFolders(options.location)
    }

    /// Returns every field of the entry, each cut off at `options.maximumFieldBytes`; none if they have more than `bytes`
    /// together, which `JournalEntry.bytes` then shows.
    /// - Returns: `nil` when the entry is no longer in the journal.
    /// - Throws: `JournalError` when it is not found and a folder cannot be read, or a file for another reason than its permissions, or
    ///   one of the fields is damaged.
    package func entry(at place: EntryPlace, bytes: Int = .max) async throws(JournalError) -> JournalEntry? {
        let result = await queue.run { Result { () throws(JournalError) in try find(place, bytes) } }
        return try result.get()
    }

    private func find(_ place: EntryPlace, _ bytes: Int) throws(JournalError) -> JournalEntry? {
        let files = LookupFiles(folders, options.entryKey)
        guard let (file, entry) = try files.find(place, walks: true) else { return nil }
        var found = JournalEntry()
        var rest = Self.maximumEntryBytes
        let damaged = try file.forEachField(of: entry, limit: options.maximumFieldBytes + FieldReader.longestName) {
            add($0, isCut: $1, to: &found, &rest, bytes)
        }
        guard damaged == 0 else {
            throw JournalError(call: "\(damaged) of the entry's fields in \(file.path)", errno: EBADMSG)
        }
        return found
    }

    private func add(
        _ field: UnsafeRawBufferPointer, isCut: Bool, to entry: inout JournalEntry, _ rest: inout Int, _ bytes: Int
    ) {
        let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
        let value = field[end...].dropFirst()
        let kept = value.prefix(min(options.maximumFieldBytes, rest))
        rest -= kept.count
        entry.bytes += kept.count
        guard entry.bytes <= bytes else { return entry.fields = [] }
        let name = String(decoding: field[..<end], as: UTF8.self)
        entry.fields.append(
            JournalField(name: name, value: Array(kept), isCut: isCut || kept.count < value.count))
    }
}

extension JournalLookup: JournalFieldSource {
    package func forEachValue(
        of field: String, at places: [EntryPlace], while isWanted: () -> Bool,
        _ body: (Int, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let files = LookupFiles(folders, options.entryKey)
        let beginning = Array("\(field)=".utf8)
        let limit = options.maximumFieldBytes + FieldReader.longestName
        for (number, place) in places.enumerated() {
            guard isWanted() else { return }
            guard let (file, entry) = try files.find(place, walks: false) else { continue }
            var failure: (any Error)?
            _ = try file.forEachField(
                of: entry, limit: limit, isWanted: { $0.withUnsafeBytes { $0.starts(with: beginning) } },
                { field, _ in
                    guard failure == nil else { return }
                    let value = UnsafeRawBufferPointer(rebasing: field.dropFirst(beginning.count))
                    do { try body(number, value) } catch { failure = error }
                })
            if let failure { throw failure }
        }
    }
}
