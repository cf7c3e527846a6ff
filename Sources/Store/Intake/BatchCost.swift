internal import Model

/// At most how much of the database a change fills: asked before it is written, since afterwards is too late for a
/// limit.
struct BatchCost {
    private var bytes = 4 * SizeLimit.pageBytes
    /// Series whose counters change, each perhaps on a page of its own.
    private(set) var series: Int64 = 0
    /// Counters of findings that change, each perhaps on a page of its own.
    private(set) var findings: Int64 = 0
    /// Pages that are written although nothing is added to them.
    private(set) var changedPages: Int64 = 0
    /// Series that may be new: each perhaps goes to another page of the index.
    private(set) var newSeries: Int64 = 0

    /// - Parameters:
    ///   - indexed: by how many parameters events are to be found.
    ///   - open: what was found in the open block, which the batch may complete.
    ///   - records: how many gap records there are of the boots whose missing numbers the batch names.
    init(_ batch: ResolvedBatch, known: SeriesTable, indexed: Int, open: FindingTally.Cost, records: Int64) {
        findings = open.rows
        add(row: open.bytes)
        var slots: Set<SeriesTally.Slot> = []
        var last: Findings?
        for event in batch.events {
            add(
                row: (event.entry.ordinal == 0 ? 113 : 136) + ParameterIndex.entryBytes * indexed
                    + event.entry.payload.count
                    + (event.findings.map(Self.size) ?? 0))
            // The same finding usually comes many times in a row; to look for all that do would take too long.
            if let findings = event.findings, findings != last {
                add(counters: findings)
                last = findings
            }
            let slot = SeriesTally.Slot(event)
            guard slots.insert(slot).inserted else { continue }
            let series = Series(event)
            if !known.remembers(series) { add(series) }
        }
        series = Int64(slots.count)
        for gap in batch.gaps { add(gap) }
        add(batch.progress)
        changedPages += records
    }

    init(body bytes: Int) { add(row: bytes + 128) }

    init(rows: [Int]) {
        for bytes in rows { add(row: bytes + 128) }
    }

    /// Each event perhaps lies on a page of its own, and in a block of its own, whose postings change.
    /// - Parameter known: the series that events belong to before, by the event's id.
    init(_ changes: [ResolvedAgain], known: [Int64: (id: Int64, series: Series)]) {
        var last: Findings?
        var moves: Set<SeriesMove> = []
        for change in changes {
            guard let old = known[change.id] else { continue }
            let bytes = (change.payload?.count ?? 0) + (change.findings.map(Self.size) ?? 0)
            add(row: 96 + bytes)
            changedPages += 3 + Int64(bytes) / SizeLimit.pageBytes
            if let findings = change.findings, findings != last {
                add(counters: findings)
                last = findings
            }
            let move = SeriesMove(from: old.id, kind: change.kind, resolution: change.resolution)
            guard moves.insert(move).inserted else { continue }
            series += 2
            add(
                Series(
                    origin: old.series.origin, level: old.series.level, resolution: change.resolution,
                    kind: change.kind))
        }
    }

    private struct SeriesMove: Hashable {
        var from: Int64
        var kind: EventKind
        var resolution: Resolution
    }

    init(_ gap: Gap) { add(gap) }

    /// Pages that are filled.
    var newPages: Int64 { bytes / SizeLimit.pageBytes + 1 }

    private mutating func add(row count: Int) {
        let count = Int64(count)
        // Of rows over a third of a page, the rest of the page may stay empty; larger ones take pages of their own.
        bytes += count < 1300 ? count + count / 8 : count < 4000 ? SizeLimit.pageBytes : count + count / 64 + 8192
    }

    private mutating func add(_ gap: Gap) {
        add(row: 640 + gap.message.utf8.count + (gap.part.map { $0.path.utf8.count + 128 } ?? 0))
    }

    /// Each row perhaps lies on a page of its own; what takes pages of its own is written anew.
    private mutating func add(_ progress: ReadingProgress) {
        for case let (_, file?) in progress.files { add(row: 512 + file.path.utf8.count) }
        for (id, coverage) in progress.chains {
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

    /// A new series holds its texts twice, in the row and in the index, and perhaps so does what it is counted by.
    private mutating func add(_ new: Series) {
        newSeries += 1
        bytes += Int64(512 + 5 * new.textBytes) + (new.textBytes > 1000 ? 4 * SizeLimit.pageBytes : 0)
    }

    /// New counters, which the series before the change may have as well.
    private mutating func add(counters new: Findings) {
        for (_, parameter) in new.rules {
            findings += 1
            add(row: 128 + 2 * parameter.utf8.count)
        }
    }

    private static func size(_ findings: Findings) -> Int {
        findings.violations.reduce(findings.reason?.utf8.count ?? 0) {
            $0 + 96 + $1.parameter.utf8.count + $1.expected.utf8.count + $1.found.utf8.count
        } + findings.warnings.reduce(64) { $0 + 48 + ($1.parameter?.utf8.count ?? 0) }
    }
}
