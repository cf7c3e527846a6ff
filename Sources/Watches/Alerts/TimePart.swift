internal import Model

/// The events of a short time.
struct TimePart: Sendable, Hashable, Codable {
    var start: Int64
    /// When the event was sent with which there were enough, or else the latest one. All of them count from then on.
    var countsFrom: Int64
    /// Those that were looked at in time.
    var count = 0
    /// All of them.
    var all = 0
    /// Those that are different.
    private(set) var values: Set<ExactString> = []
    /// How many more it takes at least until there are enough at `countsFrom`: none, if there were; `nil` if that has to be
    /// counted, since that takes long. It is not saved.
    var missing: Int?
    /// About what it takes when it is saved.
    private(set) var bytes = Self.bytes

    private enum CodingKeys: CodingKey { case start, countsFrom, count, all, values, bytes }

    init(start: Int64, countsFrom: Int64) { (self.start, self.countsFrom) = (start, countsFrom) }

    mutating func insert(_ value: ExactString) {
        if values.insert(value).inserted { bytes += Self.bytes(of: value) }
    }

    mutating func map(_ body: (ExactString) -> ExactString) {
        let before = values
        (values, bytes) = ([], Self.bytes)
        for value in before { insert(body(value)) }
        if values.count < before.count { missing = nil }
    }

    mutating func add(_ other: TimePart) {
        (countsFrom, missing) = (min(countsFrom, other.countsFrom), nil)
        count += other.count
        all += other.all
        var fewer = other
        if values.count < fewer.values.count {
            swap(&values, &fewer.values)
            swap(&bytes, &fewer.bytes)
        }
        for value in fewer.values { insert(value) }
    }

    /// About what it takes when it is saved, without values.
    static let bytes = 96
    static func bytes(of value: ExactString) -> Int {
        value.text.utf8.reduce(3) { bytes, byte in
            switch byte {
            case ..<0x20: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes + 2
            default: bytes + 1
            }
        }
    }
}
