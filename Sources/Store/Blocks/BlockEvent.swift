internal import Model

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
