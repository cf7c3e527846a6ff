package import Model

/// A gap record on the wire: `{"type":"gap","id":3,"after":4711,"cause":"vacuumed",…}`.
package struct GapLine: Sendable, Hashable, Codable {
    package var id: Int64
    /// The gap lies behind this event; 0: before the first.
    package var after: Int64
    /// A `Gap.Cause`.
    package var cause: String
    /// When the gap was found.
    package var time: WireTime
    /// How many entries or events are missing, where known.
    package var count: UInt64?
    /// The cursor of the last entry before the gap, where known.
    package var from: String?
    /// The cursor of the first entry after the gap, where known.
    package var to: String?
    package var message: String

    package init(
        id: Int64, after: Int64, cause: String, time: WireTime, count: UInt64?, from: String?, to: String?,
        message: String
    ) {
        self.id = id
        self.after = after
        self.cause = cause
        self.time = time
        self.count = count
        self.from = from
        self.to = to
        self.message = message
    }

    package init(_ record: GapRecord) {
        self.init(
            id: record.id, after: record.afterEventID, cause: record.gap.cause.rawValue,
            time: WireTime(microseconds: record.gap.realtimeMicroseconds), count: record.gap.count,
            from: record.gap.from?.description, to: record.gap.to?.description, message: record.gap.message)
    }
}
