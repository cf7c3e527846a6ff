import Foundation
@testable import Journal
import Model
import TestSupport

/// The texts of this target's journals.
func fixture(_ name: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
    return try String(contentsOf: folder.appending(path: name), encoding: .utf8)
}

extension SourceRule {
    /// A rule of the settings' short form: `subsystem` and `category`.
    static func subsystem(_ subsystem: String, category: String = "*") -> SourceRule {
        SourceRule(
            conditions: [
                Condition(field: "SUBSYSTEM", value: Glob(subsystem)),
                Condition(field: "CATEGORY", value: Glob(category)),
            ], name: nil, text: "subsystem: \(subsystem)")
    }

    static func match(
        _ conditions: KeyValuePairs<String, String>, as name: Name, payload: String = "MESSAGE"
    ) -> SourceRule {
        SourceRule(
            conditions: conditions.map { Condition(field: $0.key, value: Glob($0.value)) }, name: name,
            payloadField: payload, text: "match: \(conditions)")
    }
}

extension JournalSession {
    convenience init(
        _ folder: URL, rules: [SourceRule] = [.subsystem("*")], after position: JournalCursor? = nil,
        start: StartPoint = .oldest, maximumFieldBytes: Int = 1 << 20, isWatched: Bool = true, now: UInt64? = nil
    ) {
        self.init(
            .directory(folder.path(percentEncoded: false)), rules: rules, after: position, start: start,
            maximumFieldBytes: maximumFieldBytes, isWatched: isWatched, now: now)
    }

    convenience init(
        _ location: JournalLocation, rules: [SourceRule] = [.subsystem("*")], after position: JournalCursor? = nil,
        start: StartPoint = .oldest, maximumFieldBytes: Int = 1 << 20, isWatched: Bool = true, now: UInt64? = nil
    ) {
        self.init(
            options: JournalOptions(location: location, start: start, maximumFieldBytes: maximumFieldBytes),
            rules: rules, resumeAfter: position, isWatched: isWatched, clock: { now ?? realtimeMicroseconds() })
    }

    /// Everything there is, in one batch.
    func readAll() throws -> EntryBatch {
        try read(BatchLimit(maximumEntriesRead: .max, maximumEvents: .max, maximumEventBytes: .max))
    }
}

extension EntryBatch {
    func payload(_ entry: Entry) -> [UInt8] { Array(bytes[entry.payload]) }

    /// The payloads as text.
    var messages: [String] { entries.map { String(decoding: payload($0), as: UTF8.self) } }
}

/// All cursors of a journal, in its order.
func cursors(in folder: URL) throws -> [JournalCursor] {
    let journal = try JournalHandle(.directory(folder.path(percentEncoded: false)))
    var cursors: [JournalCursor] = []
    while try journal.next() { cursors.append(try journal.cursor()) }
    return cursors
}
