internal import Model

/// A block as it is stored: its data, and the summary by which queries skip blocks without reading their data.
struct PackedBlock: Hashable {
    var ids: ClosedRange<Int64>
    /// The number of events. Ids may have holes.
    var count: Int
    /// The earliest and the latest time, in microseconds since 1970.
    var times: ClosedRange<Int64>
    /// The size of the payloads and texts before they were packed.
    var payloadBytes: Int
    var sources: [SourcePart]
    /// A bit for each level that filters find here.
    var levels: UInt8
    /// A `ValueFilter` of the names in `BlockFilters.Name`.
    var names: [UInt8]
    var data: [UInt8]
    /// A `ValueFilter` of the values of parameters.
    var values: [UInt8]
}

/// An event as it goes into a block.
struct BlockEvent {
    var id: Int64
    var origin: Origin
    var level: Level
    var pid: Int32?
    var seqnum: UInt64
    var monotonicMicroseconds: UInt64
    var realtimeMicroseconds: UInt64
    var entryHash: UInt64
    var ordinal: UInt32
    var kind: ResolvedKind
    /// `FindingsText`; empty when there are no findings.
    var findings: UnsafeRawBufferPointer
    var payload: UnsafeRawBufferPointer
    /// `StoredText`; empty if there is none.
    var text: UnsafeRawBufferPointer
    var program: ProgramFacts

    /// The size of the payload and its text.
    var contentBytes: Int { payload.count + text.count }
}

/// What events were checked by, and the result.
struct ResolvedKind: Hashable, Sendable {
    var resolution: Resolution
    var kind: EventKind

    init(_ resolution: Resolution, _ kind: EventKind) {
        self.resolution = resolution
        self.kind = kind
    }
}

/// An error: the bytes of a block are not as they were written.
struct BlockDamage: Error, Hashable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
