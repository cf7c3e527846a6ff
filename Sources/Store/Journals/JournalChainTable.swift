internal import GRDB
internal import Model

/// The table `journal_chains`.
enum JournalChainTable {
    static func all(ofJournal journal: String, _ db: Database) throws -> [ChainID: ChainCoverage] {
        let rows = try BareStatement(
            db,
            reusing: """
                SELECT machine_id, seqnum_id, boot_id, name, last_time, first_monotonic, last_monotonic, repeat_seqnum,
                repeat_monotonic, numbers, explained, spans, open_ends, repeat_counts FROM journal_chains WHERE journal = ?
                """)
        try rows.bind(1, journal)
        var chains: [ChainID: ChainCoverage] = [:]
        while try rows.step() {
            let texts = (machine: rows.text(0), seqnum: rows.text(1), boot: rows.text(2), name: rows.text(3))
            let description = {
                "the chain \(texts.name) of boot \(texts.boot), machine \(texts.machine), counter \(texts.seqnum) of journal \(journal)"
            }
            let id = ChainID(
                machineID: try JournalTable.id(texts.machine, description()),
                seqnumID: try JournalTable.id(texts.seqnum, description()),
                bootID: try JournalTable.id(texts.boot, description()),
                name: texts.name)
            chains[id] = try coverage(rows, description)
        }
        return chains
    }

    private static func coverage(_ row: borrowing BareStatement, _ description: () -> String) throws -> ChainCoverage {
        guard let numbers = CoverageText.ranges(row.text(9)), let explained = CoverageText.ranges(row.text(10)),
            let spans = CoverageText.ranges(row.text(11)), let openEnds = CoverageText.ranges(row.text(12)),
            let counts = CoverageText.counts(row.text(13))
        else { throw DatabaseError.damaged("\(description()) has numbers or counts that cannot be read") }
        return ChainCoverage(
            numbers: numbers, explained: explained, spans: spans, openEnds: openEnds,
            monotonicMicroseconds: try JournalTable.range(row, from: 5, "\(description()) ends before it begins"),
            latestRealtimeMicroseconds: row.bits(4),
            repeats: RepeatCount(
                seqnum: row.bits(7), monotonicMicroseconds: row.bits(8), latestMicroseconds: row.bits(4),
                counts: counts))
    }

    static func save(_ chains: [ChainID: ChainCoverage?], ofJournal journal: String, _ db: Database) throws {
        guard !chains.isEmpty else { return }
        let upsert = try BareStatement(
            db,
            reusing: """
                INSERT INTO journal_chains (journal, machine_id, seqnum_id, boot_id, name, last_time, first_monotonic,
                last_monotonic, repeat_seqnum, repeat_monotonic, numbers, explained, spans, open_ends, repeat_counts)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (journal, machine_id, seqnum_id, boot_id, name) DO UPDATE SET
                last_time = excluded.last_time, first_monotonic = excluded.first_monotonic,
                last_monotonic = excluded.last_monotonic, repeat_seqnum = excluded.repeat_seqnum,
                repeat_monotonic = excluded.repeat_monotonic, numbers = excluded.numbers, explained = excluded.explained,
                spans = excluded.spans, open_ends = excluded.open_ends, repeat_counts = excluded.repeat_counts
                """)
        let delete = try BareStatement(
            db,
            reusing: """
                DELETE FROM journal_chains
                WHERE journal = ? AND machine_id = ? AND seqnum_id = ? AND boot_id = ? AND name = ?
                """)
        for (id, coverage) in chains {
            guard let coverage else {
                try bind(id, journal, to: delete)
                try delete.run()
                continue
            }
            try save(coverage, of: id, journal, with: upsert)
        }
    }

    private static func bind(_ id: ChainID, _ journal: String, to statement: borrowing BareStatement) throws {
        try statement.bind(1, journal)
        try statement.bind(2, id.machineID.description)
        try statement.bind(3, id.seqnumID.description)
        try statement.bind(4, id.bootID.description)
        try statement.bind(5, id.name)
    }

    private static func save(
        _ coverage: ChainCoverage, of id: ChainID, _ journal: String, with statement: borrowing BareStatement
    ) throws {
        try bind(id, journal, to: statement)
        try statement.bind(6, bits: coverage.latestRealtimeMicroseconds)
        let monotonic = coverage.monotonicMicroseconds
        try statement.bind(7, monotonic.map { Int64(bitPattern: $0.lowerBound) })
        try statement.bind(8, monotonic.map { Int64(bitPattern: $0.upperBound) })
        try statement.bind(9, bits: coverage.repeats.seqnum)
        try statement.bind(10, bits: coverage.repeats.monotonicMicroseconds)
        try statement.bind(11, CoverageText.text(coverage.numbers))
        try statement.bind(12, CoverageText.text(coverage.explained))
        try statement.bind(13, CoverageText.text(coverage.spans))
        try statement.bind(14, CoverageText.text(coverage.openEnds))
        try statement.bind(15, CoverageText.text(coverage.repeats.counts))
        try statement.run()
    }
}

/// The columns of a chain's coverage, in a form that people can read too. Each value has exactly one valid text;
/// others are refused.
enum CoverageText {
    /// The maximum size of one range and of one count, with its comma.
    static let rangeBytes = 42
    static let countBytes = 28

    /// Returns a text such as `1-100,105,107-110`; with a `~` before it if ranges were joined.
    static func text(_ numbers: NumberRanges) -> String {
        (numbers.isExact ? "" : "~")
            + numbers.ranges.map { range in
                range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
            }.joined(separator: ",")
    }

    static func ranges(_ text: String) -> NumberRanges? {
        var ranges: [ClosedRange<UInt64>] = []
        let isExact = !text.hasPrefix("~")
        for part in text.dropFirst(isExact ? 0 : 1).utf8.split(separator: UInt8(ascii: ",")) {
            let ends = part.split(separator: UInt8(ascii: "-"))
            guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), first <= last,
                ends.count <= 2, ranges.count < NumberRanges.maximumCount
            else { return nil }
            ranges.append(first...last)
        }
        let numbers = NumberRanges(ranges, isExact: isExact)
        return self.text(numbers) == text ? numbers : nil
    }

    /// Returns a text such as `17=1,c0ffee=2`, by hash.
    static func text(_ counts: [UInt64: UInt32]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\(hexadecimalText($0.key))=\($0.value)" }.joined(separator: ",")
    }

    static func counts(_ text: String) -> [UInt64: UInt32]? {
        var counts: [UInt64: UInt32] = [:]
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let pair = part.split(separator: UInt8(ascii: "="))
            guard pair.count == 2, let hash = UInt64(Substring(pair[0]), radix: 16),
                let count = UInt32(Substring(pair[1]))
            else { return nil }
            counts[hash] = count
        }
        return self.text(counts) == text ? counts : nil
    }

    private static func number(_ digits: Substring.UTF8View) -> UInt64? { UInt64(Substring(digits)) }
}
