internal import Model

/// A block as it is stored: its data, and what tells without them whether it has what somebody looks for.
struct PackedBlock: Hashable {
    var ids: ClosedRange<Int64>
    /// How many events it has. Ids may have holes.
    var count: Int
    /// The earliest and the latest, in microseconds since 1970.
    var times: ClosedRange<Int64>
    /// Before they were packed.
    var payloadBytes: Int
    var sources: [SourcePart]
    /// A bit for each level that events have.
    var levels: UInt8
    /// A `ValueFilter` of `BlockFilters.Name`.
    var names: [UInt8]
    var data: [UInt8]
    /// A `ValueFilter` of what parameters are.
    var values: [UInt8]
}

/// An event on its way into a block.
struct BlockEvent {
    var id: Int64
    var origin: Origin
    var level: Level
    var pid: Int32?
    var seqnum: UInt64
    var monotonicMicroseconds: UInt64
    var realtimeMicroseconds: UInt64
    var xorHash: UInt64
    var ordinal: UInt32
    var kind: ResolvedKind
    /// `FindingsText`; empty when there is nothing to say.
    var findings: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
}

/// What events were checked by, and what came of it.
struct ResolvedKind: Hashable, Sendable {
    var resolution: Resolution
    var kind: EventKind

    init(_ resolution: Resolution, _ kind: EventKind) {
        self.resolution = resolution
        self.kind = kind
    }
}

/// Bytes of a block that are not as they were written.
struct BlockDamage: Error, Hashable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
