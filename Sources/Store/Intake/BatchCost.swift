internal import Model

/// An upper bound of the space in the database that a change takes. It is computed before the change is written, so
/// that the limit is never exceeded.
struct BatchCost {
    private var bytes = 4 * SizeLimit.pageBytes
    /// What stays empty in the pages of the events that become rows.
    private var emptyBytes: Int64 = 0
    /// The number of pages that are written although nothing is added to them.
    private(set) var changedPages: Int64 = 0
    /// The number of counters that change. Each may be on a page of its own, in the table and in its index.
    private(set) var counters: Int64 = 0

    /// The space that an event takes besides its payload and findings, as a row or in a block.
    private static let eventBytes = 136

    /// Computes the part of the cost that does not depend on the content of the store.
    init(_ batch: ResolvedBatch, _ tally: CountTally) {
        var pages = RowPages()
        for place in batch.events.indices {
            let payload = batch.events[place].contentBytes
            let size = Self.eventBytes + payload + (batch.events[place].findings.map(Self.size) ?? 0)
            bytes += Int64(size + Self.filterBytes(payload: payload))
            pages.add(size)
        }
        emptyBytes = pages.emptyBytes
        add(namesOf: tally, blocks: 1 + batch.events.count / BlockPacker.capacity)
        for gap in batch.gaps { add(gap) }
        add(batch.progress)
    }

    /// Adds the part of the cost that depends on the content of the store.
    /// - Parameters:
    ///   - counters: the current counters.
    ///   - packed: the open events, if the batch packs them.
    ///   - reusesRows: whether their block takes the pages that their rows had.
    ///   - leavesRows: whether events of the batch may become rows.
    ///   - records: the number of gap records of the boots whose missing numbers the batch has.
    func adding(
        _ tally: CountTally, to counters: Counters, packed: EventAppender.Size, reusesRows: Bool, leavesRows: Bool,
        records: Int64
    ) -> BatchCost {
        var cost = self
        cost.add(tally, counters)
        if leavesRows { cost.bytes += emptyBytes }
        // The rows of packed events are deleted. If that is done before their block is written, it takes their pages,
        // or others that are free.
        let (rows, block) = (Int64(packed.payloadBytes), Self.blockBytes(packed))
        cost.bytes += block - (reusesRows ? rows : 0)
        cost.changedPages += (block + (reusesRows ? rows / 2 : 0)) / SizeLimit.pageBytes + records
        return cost
    }

    init(body bytes: Int) { add(row: bytes + OverflowBlob.zeros + 128) }

    /// - Parameter replaced: the size of rows that are deleted before in the same transaction: what is written takes their pages.
    init(body bytes: Int, replacing replaced: Int64) {
        self.init(body: max(0, bytes - Int(replaced)))
        changedPages = min(Int64(bytes), replaced) / SizeLimit.pageBytes
    }

    init(rows: [Int]) {
        for bytes in rows { add(row: bytes + 128) }
    }

    /// - Parameter stored: the size of what is written again: a block, or the open events.
    init(_ changes: [Int64: ReprocessedEvent], stored: EventAppender.Size) {
        let size = Self.blockBytes(stored) + Int64(2 * OverflowBlob.zeros)
        bytes += size
        // The old pages are overwritten.
        changedPages += size / SizeLimit.pageBytes
        for change in changes.values {
            let payload = (change.payload?.count ?? 0) + (change.text?.bytes.count ?? 0)
            add(row: payload + Self.filterBytes(payload: payload) + (change.findings.map(Self.size) ?? 0))
            // The new key's row, that of the old one, and the one for all others.
            counters += 3 + Int64(change.findings?.keys.count ?? 0)
        }
    }

    /// The cost of writing a block again without some of its events. The old block is deleted before in the same
    /// transaction, so that the new one takes its pages, or others that are free. Columns that are no longer regular may
    /// take a little more.
    /// - Parameter stored: the size of the block as it is stored.
    init(restOf stored: Int64, events: Int) {
        bytes += stored / 16 + Int64(16 * events + 2 * OverflowBlob.zeros)
        changedPages = 2 * stored / SizeLimit.pageBytes
    }

    /// The number of pages that are filled.
    var newPages: Int64 { bytes / SizeLimit.pageBytes + 1 }

    private mutating func add(row count: Int) {
        let count = Int64(count)
        // A page that has a row of over a third of its size may otherwise stay empty. Larger rows take pages of their
        // own.
        let taken =
            switch count {
            case ..<1300: count + count / 8
            case ..<Self.largeRow: SizeLimit.pageBytes
            default: count + Self.emptyBytes(besideLargeRow: count)
            }
        bytes += taken
    }

    private static let largeRow: Int64 = 4000

    private static func emptyBytes(besideLargeRow count: Int64) -> Int64 { count / 64 + 8192 }

    /// Fills pages with rows, one after the other. A row that does not fit begins the next page.
    private struct RowPages {
        private(set) var emptyBytes: Int64 = 0
        /// The room in the last page.
        private var room: Int64 = 0

        /// The header of a page, and that of a row.
        private static let headerBytes: Int64 = 16

        mutating func add(_ row: Int) {
            let row = Int64(row)
            guard row < largeRow else { return emptyBytes += BatchCost.emptyBytes(besideLargeRow: row) }
            if row > room {
                emptyBytes += room + Self.headerBytes
                room = SizeLimit.pageBytes - Self.headerBytes
            }
            room -= row
        }
    }

    /// The value of a parameter takes a byte in the filter of its block, and there are at most as many parameters as
    /// commas.
    private static func filterBytes(payload: Int) -> Int { payload / 2 }

    private static func blockBytes(_ events: EventAppender.Size) -> Int64 {
        Int64(events.payloadBytes + filterBytes(payload: events.payloadBytes) + events.count * eventBytes)
    }

    private mutating func add(_ gap: Gap) {
        add(row: 640 + gap.message.utf8.count + (gap.part.map { $0.path.utf8.count + 128 } ?? 0))
    }

    /// Each row may be on a page of its own. Rows that take several pages are written again as a whole.
    private mutating func add(_ progress: ReadingProgress) {
        for case let (_, file?) in progress.files { add(row: 512 + file.path.utf8.count) }
        for case let (id, coverage?) in progress.chains {
            let ranges =
                coverage.numbers.ranges.count + coverage.explained.ranges.count + coverage.spans.ranges.count
                + coverage.openEnds.ranges.count
            add(
                row: 512 + 2 * id.name.utf8.count + CoverageText.rangeBytes * ranges
                    + CoverageText.countBytes * coverage.repeats.counts.count)
        }
        for gaps in progress.holes.values {
            for gap in gaps { add(gap) }
        }
        changedPages += Int64(progress.files.count + 2 * progress.chains.count)
    }

    /// The tables of each block contain the senders and kinds of its events.
    private mutating func add(namesOf tally: CountTally, blocks: Int) {
        bytes += Int64(2 * blocks * OverflowBlob.zeros)
        var (origins, kinds): (Set<ObjectIdentifier>, Set<ObjectIdentifier>) = ([], [])
        tally.forEachSenderAndKind { origin, kind in
            if origins.insert(ObjectIdentifier(origin)).inserted { bytes += Int64(blocks * (160 + origin.textBytes)) }
            if kinds.insert(ObjectIdentifier(kind)).inserted {
                bytes += Int64(blocks * (64 + (kind.key.map { $0.category.utf8.count + $0.name.utf8.count } ?? 0)))
            }
        }
    }

    private mutating func add(_ tally: CountTally, _ known: Counters) {
        for place in tally.parts.indices {
            counters += 2
            let key = tally.parts[place].key
            if !known.events.remembers(key), !key.value.isTooLong { bytes += key.value.rowBytes }
            guard let found = tally.found(inPart: place) else { continue }
            counters += Int64(found.gained.count)
            for key in found.gained.keys { bytes += 64 + Int64(key.rule.utf8.count + key.parameter.utf8.count) }
        }
    }

    private static func size(_ findings: Findings) -> Int {
        findings.violations.reduce(findings.reason?.utf8.count ?? 0) {
            $0 + 96 + $1.parameter.utf8.count + $1.expected.utf8.count + $1.found.utf8.count
        } + findings.warnings.reduce(64) { $0 + 48 + ($1.parameter?.utf8.count ?? 0) }
    }
}
