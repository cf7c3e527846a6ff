import Foundation
@testable import Journal
import Linux
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
        _ conditions: KeyValuePairs<String, String>, as name: Name, payload: ExactString = "MESSAGE"
    ) -> SourceRule {
        SourceRule(
            conditions: conditions.map { Condition(field: $0.key, value: Glob($0.value)) }, name: name,
            payloadFields: [payload], text: "match: \(conditions)")
    }
}

extension BatchLimit {
    static let none = BatchLimit(maximumEntriesRead: .max, maximumEvents: .max, maximumEventBytes: .max)
}

extension JournalSession {
    convenience init(
        _ folder: URL, rules: [SourceRule] = [.subsystem("*")], from state: ReadingState? = nil,
        start: StartPoint = .oldest, maximumFieldBytes: Int = 1 << 20, isWatched: Bool = true, now: UInt64? = nil
    ) {
        self.init(
            .directory(folder.path(percentEncoded: false)), rules: rules, from: state, start: start,
            maximumFieldBytes: maximumFieldBytes, isWatched: isWatched, now: now)
    }

    convenience init(
        _ location: JournalLocation, rules: [SourceRule] = [.subsystem("*")], from state: ReadingState? = nil,
        start: StartPoint = .oldest, maximumFieldBytes: Int = 1 << 20, isWatched: Bool = true, now: UInt64? = nil
    ) {
        self.init(
            options: JournalOptions(location: location, start: start, maximumFieldBytes: maximumFieldBytes),
            rules: rules, from: state, isWatched: isWatched, clock: { now ?? wallClock() })
    }

    /// - Parameter clock: returns microseconds since 1970.
    convenience init(
        _ folder: URL, from state: ReadingState? = nil, start: StartPoint, clock: @escaping @Sendable () -> UInt64
    ) {
        self.init(
            options: JournalOptions(
                location: .directory(folder.path(percentEncoded: false)), start: start, maximumFieldBytes: 1 << 20),
            rules: [.subsystem("*")], from: state, clock: clock)
    }

    /// Everything there is, in one batch.
    func readAll() -> EntryBatch {
        checkSoon()
        return read(.none)
    }
}

extension JournalOptions {
    static func test(maximumFieldBytes: Int = 1 << 20, maximumChains: Int = 4096) -> Self {
        JournalOptions(
            location: .machine, start: .oldest, maximumFieldBytes: maximumFieldBytes, maximumChains: maximumChains)
    }
}

extension FileSet {
    func read(_ limit: BatchLimit = .none) -> EntryBatch {
        var batch = EntryBatch()
        read(limit, into: &batch)
        return batch
    }
}

extension ReadingState {
    /// What a store has that saved these, one after the other.
    init(_ progress: ReadingProgress...) {
        self.init(startMicroseconds: 0)
        for progress in progress { add(progress) }
    }

    mutating func add(_ progress: ReadingProgress) {
        startMicroseconds = progress.startMicroseconds ?? startMicroseconds
        for (id, position) in progress.files {
            files.removeAll { $0.fileID == id }
            if let position { files.append(position) }
        }
        for (id, coverage) in progress.chains { chains[id] = coverage }
        for (boot, gaps) in progress.holes {
            let ranges = gaps.compactMap { gap in
                gap.numbers.map { MissingRange(seqnumID: (gap.from ?? gap.to)?.seqnumID, numbers: $0) }
            }
            missing[boot] = ranges.isEmpty ? nil : ranges
        }
    }
}

extension EntryBatch {
    func payload(_ entry: Entry) -> [UInt8] { Array(bytes[entry.payload]) }

    /// The payloads as text.
    var messages: [String] { entries.map { String(decoding: payload($0), as: UTF8.self) } }

    /// The gaps of missing numbers.
    var holes: [Gap] { progress.holes.values.flatMap(\.self) }
}
