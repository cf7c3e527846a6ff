import Model

/// The gaps that reading finds by itself.
extension Gap {
    /// - Parameters:
    ///   - first: the first entry that is read after the gap.
    ///   - numbered: the first one that is numbered as the position is.
    /// - Returns: `nil` when nothing lies between, that is, when the position's entry alone is gone.
    static func behind(_ position: JournalCursor, first: JournalCursor, numbered: JournalCursor, now: UInt64) -> Gap? {
        let missing = numbered.seqnum - min(numbered.seqnum, position.seqnum + 1)
        return missing > 0 ? vacuumed(missing, from: position, to: first, now: now) : nil
    }

    static func vacuumed(
        _ count: UInt64, from last: JournalCursor, to next: JournalCursor, now: UInt64, entryIndex: Int = 0
    ) -> Gap {
        Gap(
            cause: .vacuumed, realtimeMicroseconds: now, from: last, to: next, count: count,
            message: "\(count) \(count == 1 ? "entry was" : "entries were") deleted from the journal before being read",
            entryIndex: entryIndex)
    }

    static func renumbered(from position: JournalCursor, to first: JournalCursor, now: UInt64) -> Gap {
        Gap(
            cause: .renumbered, realtimeMicroseconds: now, from: position, to: first,
            message: "the journal was numbered anew and no longer has the entry that was read last; "
                + "entries after it may be missing, and those of the 5 seconds before may be there twice")
    }

    static func fromFuture(_ position: JournalCursor, resumedAt place: JournalCursor, now: UInt64) -> Gap {
        Gap(
            cause: .renumbered, realtimeMicroseconds: now, from: position, to: place,
            message: "the entry that was read last is newer than all of the journal: it was replaced, or the clock was "
                + "set back; reading goes on at the oldest entry that is not known to have been read, "
                + "and some may be there twice")
    }

    static func unreadable(
        _ count: UInt64, _ error: JournalError, from: JournalCursor?, to: JournalCursor?, now: UInt64, entryIndex: Int
    ) -> Gap {
        Gap(
            cause: .damaged, realtimeMicroseconds: now, from: from, to: to, count: count,
            message: "\(count) \(count == 1 ? "entry" : "entries") could not be read: \(error)", entryIndex: entryIndex)
    }
}
