/// An event as it is read from the store.
package struct Event: Sendable {
    /// The row in this store, from 1, ascending in the order of arrival. It has no meaning outside this store.
    package var id: Int64
    package var origin: Origin
    package var level: Level
    package var pid: Int32?
    package var seqnum: UInt64
    package var monotonicMicroseconds: UInt64
    package var realtimeMicroseconds: UInt64
    package var xorHash: UInt64
    /// The number of earlier entries with the same boot, monotonic time and hash.
    package var ordinal: UInt32
    package var resolution: Resolution
    package var kind: EventKind
    package var findings: Findings?
    /// The payload's bytes: JSON text for the resolutions that have a payload, any bytes for the others.
    package var payload: [UInt8]

    package init(
        id: Int64, origin: Origin, level: Level, pid: Int32?, seqnum: UInt64, monotonicMicroseconds: UInt64,
        realtimeMicroseconds: UInt64, xorHash: UInt64, ordinal: UInt32 = 0, resolution: Resolution, kind: EventKind,
        findings: Findings?, payload: [UInt8]
    ) {
        self.id = id
        self.origin = origin
        self.level = level
        self.pid = pid
        self.seqnum = seqnum
        self.monotonicMicroseconds = monotonicMicroseconds
        self.realtimeMicroseconds = realtimeMicroseconds
        self.xorHash = xorHash
        self.ordinal = ordinal
        self.resolution = resolution
        self.kind = kind
        self.findings = findings
        self.payload = payload
    }

    package var cursor: JournalCursor {
        JournalCursor(
            seqnumID: origin.seqnumID, seqnum: seqnum, bootID: origin.bootID,
            monotonicMicroseconds: monotonicMicroseconds, realtimeMicroseconds: realtimeMicroseconds, xorHash: xorHash)
    }

    package var uid: EventUID {
        EventUID(
            bootID: origin.bootID, monotonicMicroseconds: monotonicMicroseconds, xorHash: xorHash, ordinal: ordinal)
    }
}
