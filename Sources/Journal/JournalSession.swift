import Glibc
import Model

/// Reads one journal from a place on. It has no thread of its own and must stay on the one that first called it.
final class JournalSession {
    /// How often it is looked whether folders came or went, and how long to wait at most without a notice of changes.
    static let checkInterval = Duration.seconds(2)

    private let folders: JournalFolders
    private let start: StartPoint
    private let maximumFieldBytes: Int
    private let isWatched: Bool
    /// Microseconds since 1970.
    private let clock: @Sendable () -> UInt64

    private struct Place {
        var isOnUnreadEntry: Bool
        var unaccounted: JournalCursor?
    }

    private var decoder: EntryDecoder
    private var journal: OpenJournal?
    /// `nil` until the place to read on from was found.
    private var place: Place?
    /// The last entry that was read, to go on after it when the journal is opened anew.
    private var lastRead: JournalCursor?
    /// The same, where the next entry to be read is known to be the one after it.
    private var lastInSequence: JournalCursor?
    private var firstTry: UInt64?
    private var lastCheck: ContinuousClock.Instant?
    /// When that was, in microseconds since 1970.
    private var checkedAt: UInt64?

    /// - Parameter isWatched: `false` looks for changes instead of having the kernel tell them.
    init(
        options: JournalOptions, rules: [SourceRule], resumeAfter position: JournalCursor?, isWatched: Bool = true,
        clock: @escaping @Sendable () -> UInt64
    ) {
        folders = JournalFolders(options.location)
        start = options.start
        maximumFieldBytes = options.maximumFieldBytes
        self.isWatched = isWatched
        self.clock = clock
        decoder = EntryDecoder(rules: rules, maximumFieldBytes: options.maximumFieldBytes)
        lastRead = position
    }

    /// What to poll for input besides looking every `checkInterval`.
    var descriptor: Int32? { journal?.descriptor }

    /// The position stays: the next entry after it is decided upon by the new rules.
    func setRules(_ rules: [SourceRule]) {
        decoder = EntryDecoder(rules: rules, maximumFieldBytes: maximumFieldBytes, after: decoder)
    }

    /// The next `read` looks whether folders came or went, however short ago the last look was.
    func checkSoon() {
        lastCheck = nil
    }

    /// Reads what is there, without waiting.
    /// - Throws: `JournalError`; what was read before the error is in the batch before. The journal is opened anew with
    ///   the next call.
    func read(_ limit: BatchLimit) throws(JournalError) -> EntryBatch {
        var batch = EntryBatch()
        do {
            try keepUp()
            guard let journal, try findPlace(in: journal.handle, &batch) else {
                batch.reachedEnd = true
                // A journal that is open but has no place to begin at is empty, which is also an end.
                if journal != nil { batch.readUntilMicroseconds = checkedAt }
                return batch
            }
            try fill(&batch, from: journal.handle, limit)
            // Files that came since then may not be open yet.
            if batch.reachedEnd { batch.readUntilMicroseconds = checkedAt }
        } catch {
            close()
            if batch.entriesRead == 0 && batch.gaps.isEmpty { throw error }
        }
        return batch
    }

    func extent() throws(JournalError) -> (oldest: UInt64, newest: UInt64)? {
        try journal?.handle.extent()
    }

    func health() -> JournalHealth {
        var health = folders.health()
        health.polling = journal?.polling
        return health
    }

    // MARK: Opening

    /// Opens the journal if it is not open, and takes note of changes to its files.
    func keepUp() throws(JournalError) {
        let now = ContinuousClock.now
        if lastCheck.map({ now - $0 >= Self.checkInterval }) ?? true {
            lastCheck = now
            checkedAt = clock()
            if journal?.isOutdated == true { close() }
            if journal == nil { journal = try open() }
        }
        try journal?.handle.process()
    }

    /// - Returns: `nil` when there is nothing to open yet; `health()` tells.
    private func open() throws(JournalError) -> OpenJournal? {
        do {
            return try OpenJournal(folders, isWatched: isWatched)
        } catch {
            guard [ENOENT, ENOTDIR, EACCES, EPERM].contains(error.errno) else { throw error }
            return nil
        }
    }

    private func close() {
        journal = nil
        place = nil
        lastCheck = nil
    }

    // MARK: Reading

    private func findPlace(in handle: borrowing JournalHandle, _ batch: inout EntryBatch) throws(JournalError) -> Bool {
        if place != nil { return true }
        let now = clock()
        let found =
            if let lastRead {
                try handle.place(after: lastRead, now: now)
            } else {
                try handle.place(for: start, opened: firstTry ?? now, isFirstTry: firstTry == nil)
            }
        firstTry = firstTry ?? now
        guard let found else { return false }
        place = Place(isOnUnreadEntry: found.isOnUnreadEntry, unaccounted: found.unaccounted)
        if let gap = found.gap { batch.gaps.append(gap) }
        if let position = found.position {
            batch.position = position
            lastRead = position
        }
        lastInSequence = found.gap == nil && found.unaccounted == nil ? lastRead : nil
        return true
    }

    /// Reads entries until the journal or `limit` ends. What was read is in `batch` also when it throws.
    private func fill(
        _ batch: inout EntryBatch, from handle: borrowing JournalHandle, _ limit: BatchLimit
    ) throws(JournalError) {
        var damage = Damage()
        defer { finish(&batch, handle, damage) }
        while batch.entriesRead < limit.maximumEntriesRead, batch.entries.count < limit.maximumEvents,
            batch.bytes.count < limit.maximumEventBytes
        {
            guard try step(handle) else {
                batch.reachedEnd = true
                return
            }
            if let position = place?.unaccounted, try account(for: position, handle, &batch) { continue }
            batch.entriesRead += 1
            do throws(JournalError) {
                try decoder.read(handle, into: &batch)
            } catch {
                damage.count += 1
                damage.error = error
            }
        }
    }

    private func step(_ handle: borrowing JournalHandle) throws(JournalError) -> Bool {
        if place?.isOnUnreadEntry == true {
            place?.isOnUnreadEntry = false
            return true
        }
        return try handle.next()
    }

    /// The first entry since the saved position went missing: now it shows whether others are missing as well.
    /// - Returns: whether it is that position's entry after all.
    private func account(
        for position: JournalCursor, _ handle: borrowing JournalHandle, _ batch: inout EntryBatch
    ) throws(JournalError) -> Bool {
        let entry = try handle.cursor()
        place?.unaccounted = nil
        if entry == position || entry.isSameEntry(as: position) { return true }
        let gap =
            if entry.seqnumID == position.seqnumID {
                Gap.behind(position, first: entry, numbered: entry, now: clock())
            } else {
                Gap.renumbered(from: position, to: entry, now: clock())
            }
        if let gap { batch.gaps.append(gap) }
        return false
    }

    private func finish(_ batch: inout EntryBatch, _ handle: borrowing JournalHandle, _ damage: Damage) {
        guard batch.entriesRead > 0 else { return }
        // The current entry's file may have gone; then the last entry that was taken has to do.
        batch.position = (try? handle.cursor()) ?? batch.entries.last?.cursor ?? batch.position
        if let error = damage.error {
            batch.gaps.append(
                Gap.unreadable(
                    damage.count, error, from: lastRead, to: batch.position, now: clock(),
                    entryIndex: batch.entries.count))
        }
        if let gap = vacuumed(while: batch, handle) { batch.gaps.append(gap) }
        lastRead = batch.position ?? lastRead
        lastInSequence = batch.position
    }

    /// Whether files were deleted that had not been read to their end. Numbers that are missing do not show it alone,
    /// as there are entries that this process may not read; that the journal now begins behind the last batch does.
    private func vacuumed(while batch: EntryBatch, _ handle: borrowing JournalHandle) -> Gap? {
        guard let last = lastInSequence, let position = batch.position, last.seqnumID == position.seqnumID,
            position.seqnum > last.seqnum + UInt64(batch.entriesRead),
            let oldest = try? handle.extent()?.oldest, oldest > last.realtimeMicroseconds
        else { return nil }
        let count = position.seqnum - last.seqnum - UInt64(batch.entriesRead)
        let index = batch.entries.firstIndex { $0.seqnum > last.seqnum + count } ?? batch.entries.count
        let next = index < batch.entries.count ? batch.entries[index].cursor : position
        return Gap.vacuumed(count, from: last, to: next, now: clock(), entryIndex: index)
    }

    /// Entries of a batch that libsystemd found but could not read.
    private struct Damage {
        var count: UInt64 = 0
        var error: JournalError?
    }
}
