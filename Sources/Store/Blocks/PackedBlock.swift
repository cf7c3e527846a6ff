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
