import API
import Journal
import Linux
import Model
import Store

/// Compares the store with the journal as it is now, entry by entry and sequence number by sequence number.
struct JournalVerifier {
    private let store: EventStore
    private let journal: JournalOptions
    private let journalName: String
    private let rules: [SourceRule]

    private var result = JournalVerification()
    /// By file: the number of entries that gap records call damaged.
    private var damaged: [ID128: UInt64] = [:]
    /// Sequence numbers that gap records call missing.
    private var missing = Numbers()
    /// The same, from records without a counter, because the entries around the numbers were gone or unreadable.
    private var missingSomewhere = NumberRanges()
    /// Sequence numbers that were read, or are missing for a known reason.
    private var known = Numbers()
    /// The time until which events may have been removed.
    private var removed = RemovedUntil()

    /// Sequence numbers by their counter. Boots share a counter if they take turns in files, and one boot has several if it is of a
    /// journald before version 254, whose numbers are nevertheless those of one.
    private struct Numbers {
        private var ofCounter: [ID128: NumberRanges] = [:]
        private var ofBoot: [ID128: NumberRanges] = [:]

        init(_ all: [(ranges: [ClosedRange<UInt64>], seqnumID: ID128, bootID: ID128)] = []) {
            func grouped(by id: (Int) -> ID128) -> [ID128: NumberRanges] {
                Dictionary(grouping: all.indices, by: id)
                    .mapValues { NumberRanges(all: $0.flatMap { all[$0].ranges }) }
            }
            ofCounter = grouped { all[$0].seqnumID }
            ofBoot = grouped { all[$0].bootID }
        }

        /// Returns the numbers of a hole that are not among these.
        func missing(in numbers: ClosedRange<UInt64>, of hole: JournalHole) -> [ClosedRange<UInt64>] {
            let rest = ofCounter[hole.seqnumID]?.missing(in: numbers) ?? [numbers]
            return rest.flatMap { ofBoot[hole.boot.bootID]?.missing(in: $0) ?? [$0] }
        }
    }

    /// - Parameters:
    ///   - journalName: the name under which the position in the journal is saved.
    ///   - rules: the rules that the journal is read by.
    init(store: EventStore, journal: JournalOptions, savedAs journalName: String, rules: [SourceRule]) {
        self.store = store
        self.journal = journal
        self.journalName = journalName
        self.rules = rules
    }

    /// Call it once.
    /// - Parameters:
    ///   - since: older entries are left out; microseconds since 1970.
    ///   - progress: called after each step with the result so far and the part of the entries that it covers, 0 to 1.
    /// - Throws: `Problem` when no position is saved, `StoreError`, `CancellationError`, and what `progress` throws.
    mutating func run(
        since: UInt64, progress: (JournalVerification, Double) async throws -> Void
    ) async throws -> JournalVerification {
        // Gap records are saved together with the position after the damage, so all of them are there when they are read later.
        guard let state = try await store.readingState(ofJournal: journalName) else {
            throw Problem(
                status: 503, title: "Not read yet",
                detail: "The store has no position in the journal \(journalName): nothing can be compared yet.")
        }
        try await store.forEachGap { record in
            let gap = record.gap
            guard gap.cause == .damaged, let file = gap.part?.fileID else { return }
            damaged[file] = (damaged[file] ?? 0).plus(clamped: gap.count ?? 0)
        }
        try await learnWhatIsKept()
        let audit = JournalAudit(options: journal, rules: rules, state: state, since: since)
        let extent = await audit.begin()
        result.unread = Int64(clamping: extent.unread)
        var passed = 0
        while let batch = await audit.nextBatch() {
            try Task.checkCancellation()
            try await check(batch)
            passed += batch.entriesPassed
            let done = Double(result.entries) + Double(passed)
            try await progress(result, min(1, done / Double(max(1, extent.entries))))
        }
        try await learnNumbers()
        for hole in await audit.holes() { check(hole) }
        for problem in await audit.unreadable() {
            result.unreadableFiles += 1
            result.addExample("not readable: \(problem.path): \(problem.reason)")
        }
        return result
    }

    // MARK: known

    /// Reads which numbers were read and which are known to be missing. Called after all entries were compared, so that what
    /// was found meanwhile counts.
    private mutating func learnNumbers() async throws {
        let state = try await store.readingState(ofJournal: journalName)
        known = Numbers(
            (state?.chains ?? [:]).map { id, chain in
                (chain.numbers.ranges + chain.explained.ranges, id.seqnumID, id.bootID)
            })
        var recorded: [(ranges: [ClosedRange<UInt64>], seqnumID: ID128, bootID: ID128)] = []
        try await store.forEachGap { record in
            let gap = record.gap
            guard let numbers = gap.numbers else { return }
            guard let cursor = gap.from ?? gap.to else { return missingSomewhere.insert(numbers) }
            recorded.append(([numbers], cursor.seqnumID, cursor.bootID))
        }
        missing = Numbers(recorded)
    }

    private mutating func learnWhatIsKept() async throws {
        removed = try await store.removedUntil().adopted(by: Set(rules.map { ExactString($0.text) }))
    }

    /// Whether the event of an entry may have been removed, or was never stored, because it is old.
    private func isGone(_ entry: Entry, _ retention: Retention) -> Bool {
        let source = entry.origin.source
        let keptSince = max(removed.time(of: source).map { $0 + 1 } ?? 0, retention.oldest(of: source))
        return entry.realtimeMicroseconds < keptSince
    }

    // MARK: comparing

    private mutating func check(_ batch: EntryBatch) async throws {
        result.skipped += batch.progress.counts.skipped
        result.duplicates += batch.progress.counts.duplicates
        for gap in batch.gaps { check(damage: gap) }
        guard !batch.entries.isEmpty else { return }
        let stored = try await store.storedUIDs(
            among: Set(batch.entries.map(\.uid)), times: batch.entries.map(\.realtimeMicroseconds))
        let others = batch.entries.filter { !stored.contains($0.uid) }
        result.stored += Int64(batch.entries.count - others.count)
        // Retention may remove events while this runs.
        let retention = store.retention(now: wallClock())
        if others.contains(where: { !isGone($0, retention) }) { try await learnWhatIsKept() }
        for entry in others {
            if isGone(entry, retention) {
                result.expired += 1
            } else {
                result.unexplained += 1
                result.addExample("not in the store: \(entry.cursor)")
            }
        }
    }

    /// - Parameter gap: a damaged part of a file. Gaps of other causes (deleted files, messages that journald dropped) are
    ///   ignored.
    private mutating func check(damage gap: Gap) {
        guard gap.cause == .damaged, let part = gap.part, let count = gap.count else { return }
        let recorded = min(count, damaged[part.fileID] ?? 0)
        damaged[part.fileID, default: 0] -= recorded
        result.damaged = result.damaged.plus(clamped: Int64(clamping: recorded))
        guard recorded < count else { return }
        result.unexplained = result.unexplained.plus(clamped: Int64(clamping: count - recorded))
        result.addExample("in no gap record: \(gap.message)")
    }

    /// In a damaged journal, the numbers may be more than an `Int` holds.
    private static func count(_ numbers: ClosedRange<UInt64>) -> UInt64 {
        let others = numbers.upperBound - numbers.lowerBound
        return others == .max ? .max : others + 1
    }

    private mutating func check(_ hole: JournalHole) {
        for part in known.missing(in: hole.numbers, of: hole) {
            // A single number is missing where an entry had no room in a full file: journald wrote it again to the next file.
            guard part.lowerBound < part.upperBound else { continue }
            let rest = missing.missing(in: part, of: hole).flatMap(missingSomewhere.missing)
            // Copies and damaged files may name more than there are.
            let unexplained = rest.reduce(UInt64(0)) { $0.plus(clamped: Self.count($1)) }
            result.missing = result.missing.plus(clamped: Int64(clamping: Self.count(part) - unexplained))
            result.unexplainedNumbers = result.unexplainedNumbers.plus(clamped: Int64(clamping: unexplained))
            for range in rest {
                result.addExample(
                    "no file has the sequence numbers \(range.lowerBound) to \(range.upperBound) of the counter "
                        + "\(hole.seqnumID) in the boot \(hole.boot.bootID)")
            }
        }
    }
}
