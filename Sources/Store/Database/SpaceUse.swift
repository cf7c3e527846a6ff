/// What the database takes now, and whether there is room for more.
struct SpaceUse: Sendable {
    var pages: Int64
    var freePages: Int64
    var walBytes: Int64
    /// How many series there are, or more.
    var series: Int64
    /// What the counters of findings take.
    var findingBytes: Int64
    /// What the dictionaries' versions take.
    var dictionaryBytes: Int64

    /// A log frame: a page and its header.
    private static let frameBytes = SizeLimit.pageBytes + 24
    /// For the log of what makes room: removing events, giving pages back.
    private static let upkeepBytes: Int64 = 128 << 10

    /// Whether the files stay within the limit after a transaction, also when pages that are free now are then used.
    func hasRoom(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        let whole = (pages + max(0, cost.newPages - freePages)) * SizeLimit.pageBytes
        return whole + logBytes(afterWriting: cost) + Self.upkeepBytes <= limit.bytes
            && hasRoomWithoutFreePages(for: cost, reserved: reserved, limit: limit)
    }

    /// The same, if the pages that are free were given back first.
    func hasRoomWithoutFreePages(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        let used = (pages - freePages + cost.newPages) * SizeLimit.pageBytes
        return used + logBytes(afterWriting: cost) + reserved <= limit.bytes
    }

    /// The same, if all events were removed first.
    func hasRoomWhenEmpty(for cost: BatchCost, reserved: Int64, limit: SizeLimit) -> Bool {
        let pages = 32 + series / 8 + findingPages + dictionaryBytes / SizeLimit.pageBytes
        return SpaceUse(
            pages: pages, freePages: 0, walBytes: 0, series: series, findingBytes: findingBytes,
            dictionaryBytes: dictionaryBytes
        ).hasRoom(for: cost, reserved: reserved, limit: limit)
    }

    /// Pages of a table that grows anywhere are not full.
    private var findingPages: Int64 { findingBytes * 3 / 2 / SizeLimit.pageBytes }

    /// Besides the pages that it fills or changes, a transaction writes those above them, those with counters, places in
    /// the index of series, and the list of free pages.
    private func logBytes(afterWriting cost: BatchCost) -> Int64 {
        let counters = min(cost.series, series / 64 + 1) + min(cost.findings, findingPages + 1)
        let index = min(cost.newSeries, series / 8 + 1)
        let frames = cost.newPages + cost.newPages / 16 + min(cost.changedPages, pages) + counters + index + 24
        return walBytes + frames * Self.frameBytes
    }
}
