import Model

/// Where reading begins, and what is known to be missing before it.
struct JournalPlace {
    /// Whether the handle stands on an entry that has not been read yet. Otherwise the next one is to be read.
    var isOnUnreadEntry: Bool
    /// Found on the way; its `entryIndex` is 0.
    var gap: Gap?
    /// The last entry that counts as read, when that is not the saved position: saving it keeps a restart from finding
    /// the same gap again, or from starting at a later "now".
    var position: JournalCursor?
    /// The saved position is gone, and nothing newer was there yet: the first entry to come tells whether any are
    /// missing.
    var unaccounted: JournalCursor?

    init(
        isOnUnreadEntry: Bool = false, gap: Gap? = nil, position: JournalCursor? = nil,
        unaccounted: JournalCursor? = nil
    ) {
        self.isOnUnreadEntry = isOnUnreadEntry
        self.gap = gap
        self.position = position
        self.unaccounted = unaccounted
    }
}

/// Finds the place to read on from. Each of these leaves the handle there; `nil` means that the journal is empty, and
/// that it must be tried again once there are entries.
extension JournalHandle {
    /// For a journal that was never read.
    /// - Parameters:
    ///   - opened: when reading was first tried, in microseconds since 1970.
    ///   - isFirstTry: `false` when the journal was empty at that time: then what is there now came since.
    func place(for start: StartPoint, opened: UInt64, isFirstTry: Bool) throws(JournalError) -> JournalPlace? {
        switch start {
        case .oldest:
            try seekHead()
            return try next() ? JournalPlace(isOnUnreadEntry: true) : nil
        case .now where isFirstTry:
            return try placeAtTail()
        case .now:
            return try place(atTime: opened)
        case .ago(let duration):
            return try place(atTime: opened - min(duration.wholeMicroseconds, opened))
        }
    }

    private func place(atTime microseconds: UInt64) throws(JournalError) -> JournalPlace? {
        try seek(realtimeMicroseconds: microseconds)
        return try next() ? JournalPlace(isOnUnreadEntry: true) : try placeAtTail()
    }

    /// What is there counts as read, what comes does not.
    private func placeAtTail() throws(JournalError) -> JournalPlace? {
        try seekTail()
        return try previous() ? JournalPlace(position: try cursor()) : nil
    }

    /// Behind the entry that was read last. When it is gone: at the oldest entry that is newer, never at the tail.
    ///
    /// libsystemd places a cursor that it cannot find by sequence number, else by boot and monotonic time, else by the
    /// clock, in each file on its own. What is done here besides: the entry is skipped only if it is the very same one;
    /// a gap is recorded only if something can be missing; what only the clock places starts five seconds earlier.
    ///
    /// - Source: systemd issues 30288 (an entry skipped without a test), 6213 (a cursor from the future)
    func place(after position: JournalCursor, now: UInt64) throws(JournalError) -> JournalPlace? {
        try seek(position)
        var first: JournalCursor?
        for _ in 0..<Self.searchedEntries {
            guard try next() else { break }
            let entry = try cursor()
            if entry == position || entry.isSameEntry(as: position) { return JournalPlace() }
            if first == nil { first = entry }
            if entry.seqnumID == position.seqnumID {
                return try placeBehindGap(after: position, first: first ?? entry, numbered: entry, now: now)
            }
        }
        if let first { return try placeInRenumbered(after: position, first: first, now: now) }
        return try placeAtEnd(after: position, now: now)
    }

    /// How far entries of other numberings, which may lie between, are searched for the next one of the same numbering.
    private static var searchedEntries: Int { 1000 }

    /// The position's numbering goes on at `numbered`: the difference of the numbers is what is missing.
    private func placeBehindGap(
        after position: JournalCursor, first: JournalCursor, numbered: JournalCursor, now: UInt64
    ) throws(JournalError) -> JournalPlace? {
        try seek(position)
        guard try next() else { return nil }
        let gap = Gap.behind(position, first: first, numbered: numbered, now: now)
        return JournalPlace(isOnUnreadEntry: true, gap: gap)
    }

    /// There is something newer, but none of it in the position's numbering.
    private func placeInRenumbered(
        after position: JournalCursor, first: JournalCursor, now: UInt64
    ) throws(JournalError) -> JournalPlace? {
        try seek(position)
        guard try next() else { return nil }
        var to = first
        if first.bootID != position.bootID, try previous() {
            if position.covers(try cursor()) {
                // What lies directly before was read: the clock has placed it well.
                guard try next() else { return nil }
            } else {
                let time = position.realtimeMicroseconds
                try seek(realtimeMicroseconds: time - min(5_000_000, time))
                guard try next() else { return nil }
                to = try cursor()
            }
        } else if first.bootID != position.bootID {
            try seekHead()
            guard try next() else { return nil }
        }
        return JournalPlace(isOnUnreadEntry: true, gap: Gap.renumbered(from: position, to: to, now: now))
    }

    /// Nothing is newer, so the position is gone, or from the future: then the journal was replaced, or the clock set
    /// back, and libsystemd would find nothing for ever.
    private func placeAtEnd(after position: JournalCursor, now: UInt64) throws(JournalError) -> JournalPlace? {
        try seekTail()
        guard try previous() else { return nil }
        let tail = try cursor()
        if position.covers(tail) { return JournalPlace(unaccounted: position) }

        // Back to the newest entry that was read for certain; what lies behind it is read again if it was read before.
        for _ in 0..<Self.searchedBackwards {
            guard try previous() else { break }
            let entry = try cursor()
            if position.covers(entry) {
                return JournalPlace(gap: Gap.fromFuture(position, resumedAt: entry, now: now), position: entry)
            }
        }
        try seekHead()
        guard try next() else { return nil }
        return JournalPlace(
            isOnUnreadEntry: true, gap: Gap.fromFuture(position, resumedAt: try cursor(), now: now))
    }

    /// About a second's worth.
    private static var searchedBackwards: Int { 1_000_000 }
}

extension JournalCursor {
    /// Whether `entry` was certainly read before the entry at this cursor, or is that entry.
    func covers(_ entry: JournalCursor) -> Bool {
        if entry.seqnumID == seqnumID { return entry.seqnum <= seqnum }
        return entry.bootID == bootID && entry.monotonicMicroseconds <= monotonicMicroseconds
    }
}

extension Duration {
    /// Zero for negative durations.
    fileprivate var wholeMicroseconds: UInt64 {
        let (seconds, attoseconds) = components
        let (product, isTooLarge) = UInt64(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
        return isTooLarge ? .max : product + UInt64(clamping: attoseconds / 1_000_000_000_000)
    }
}
