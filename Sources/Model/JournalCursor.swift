/// A journal entry's identity and position, which `journalctl --cursor` accepts: the parts of libsystemd's cursor
/// string.
///
/// - Source: sd_journal_get_cursor(3); the text is `s=…;i=…;b=…;m=…;t=…;x=…`, numbers in hexadecimal.
package struct JournalCursor: Hashable, Sendable, Codable, LosslessStringConvertible {
    /// The range that `seqnum` counts in. It changes when the journal is started again or flushed to disk.
    package var seqnumID: ID128
    package var seqnum: UInt64
    package var bootID: ID128
    /// The time since the boot in microseconds.
    package var monotonicMicroseconds: UInt64
    /// The time in microseconds since 1970; not monotonic, as the clock may be set.
    package var realtimeMicroseconds: UInt64
    /// journald's XOR of the hashes of the entry's fields, which have no key: whoever knows the rest of an entry finds out
    /// its secrets by trying. So it is `nil` in all that leaves the daemon.
    package var xorHash: UInt64?

    package init(
        seqnumID: ID128, seqnum: UInt64, bootID: ID128, monotonicMicroseconds: UInt64, realtimeMicroseconds: UInt64,
        xorHash: UInt64? = nil
    ) {
        self.seqnumID = seqnumID
        self.seqnum = seqnum
        self.bootID = bootID
        self.monotonicMicroseconds = monotonicMicroseconds
        self.realtimeMicroseconds = realtimeMicroseconds
        self.xorHash = xorHash
    }

    /// - Returns: `nil` unless each of the parts but the last, `x`, is present. Of one that is repeated, the last counts.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        var seqnumID: ID128?
        var bootID: ID128?
        var numbers: (i: UInt64?, m: UInt64?, t: UInt64?, x: UInt64?)
        var start = 0
        while start < bytes.count {
            guard bytes.count - start > 2, bytes[start + 1] == UInt8(ascii: "=") else { return nil }
            // The value's digits up to the next semicolon; at most 32 of them count.
            var (high, low): (UInt64, UInt64) = (0, 0)
            var end = start + 2
            while end < bytes.count, bytes[end] != UInt8(ascii: ";") {
                guard let digit = hexadecimalValue(of: bytes[end]) else { return nil }
                high = high << 4 | low >> 60
                low = low << 4 | digit
                end += 1
            }
            let digits = end - start - 2
            let isID = bytes[start] == UInt8(ascii: "s") || bytes[start] == UInt8(ascii: "b")
            let isLastByte = end + 1 == bytes.count
            guard !isLastByte, isID ? digits == 32 : (1...16).contains(digits) else { return nil }
            switch bytes[start] {
            case UInt8(ascii: "s"): seqnumID = ID128(high: high, low: low)
            case UInt8(ascii: "b"): bootID = ID128(high: high, low: low)
            case UInt8(ascii: "i"): numbers.i = low
            case UInt8(ascii: "m"): numbers.m = low
            case UInt8(ascii: "t"): numbers.t = low
            case UInt8(ascii: "x"): numbers.x = low
            default: return nil
            }
            start = end + 1
        }
        guard let seqnumID, let bootID, let seqnum = numbers.i, let monotonic = numbers.m, let realtime = numbers.t
        else { return nil }
        self.init(
            seqnumID: seqnumID, seqnum: seqnum, bootID: bootID, monotonicMicroseconds: monotonic,
            realtimeMicroseconds: realtime, xorHash: numbers.x)
    }

    package var description: String {
        "s=\(seqnumID);i=\(hexadecimalText(seqnum));b=\(bootID);m=\(hexadecimalText(monotonicMicroseconds))"
            + ";t=\(hexadecimalText(realtimeMicroseconds))" + (xorHash.map { ";x=\(hexadecimalText($0))" } ?? "")
    }

    /// Whether both identify the same entry even if the journal was renumbered in between, as the flush from /run to
    /// /var does. Unless both have the hash, entries of one time whose journal was renumbered are taken for the same.
    /// - Source: sd_journal_get_seqnum(3)
    package func isSameEntry(as other: JournalCursor) -> Bool {
        guard bootID == other.bootID, monotonicMicroseconds == other.monotonicMicroseconds,
            realtimeMicroseconds == other.realtimeMicroseconds
        else { return false }
        if let xorHash, let otherHash = other.xorHash { return xorHash == otherHash }
        return seqnumID != other.seqnumID || seqnum == other.seqnum
    }

    /// The cursor without what must not leave the daemon.
    package var withoutHash: JournalCursor {
        var cursor = self
        cursor.xorHash = nil
        return cursor
    }
}

/// The entry of an event: where it is in the journal, and which of the entries there.
package struct EntryPlace: Hashable, Sendable {
    package var cursor: JournalCursor
    /// See `Entry.entryHash`.
    package var entryHash: UInt64

    package init(cursor: JournalCursor, entryHash: UInt64) {
        self.cursor = cursor
        self.entryHash = entryHash
    }
}

/// An event's identity, the same in every rebuild of the store and on every machine with the same key. The upstream
/// deduplicates by it.
///
/// It consists of the entry's boot id, monotonic time and hash, which stay the same when another file numbers the
/// entry differently, and of the number of earlier entries with the same three values.
package struct EventUID: Hashable, Sendable, Codable, LosslessStringConvertible {
    package var value: ID128

    /// - Parameter ordinal: the number of earlier entries with the same three values.
    package init(bootID: ID128, monotonicMicroseconds: UInt64, entryHash: UInt64, ordinal: UInt32) {
        value = ID128(high: Self.fold(bootID) ^ monotonicMicroseconds, low: entryHash ^ Self.mixed(ordinal))
    }

    package init?(_ text: String) {
        guard let value = ID128(text) else { return nil }
        self.value = value
    }

    package var description: String { value.description }

    /// Returns 64 bits that look random and differ for each ordinal; 0 for 0. If the hashes of two entries of one time
    /// differ in a few bits, their ordinals must not give them the same uid.
    /// - Source: the finalizer of SplitMix64
    package static func mixed(_ ordinal: UInt32) -> UInt64 {
        var bits = UInt64(ordinal) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// Returns the 64 bits of a (random) boot id that go into the uid.
    package static func fold(_ bootID: ID128) -> UInt64 { bootID.high ^ bootID.low }
}
