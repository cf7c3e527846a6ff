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
            let what = {
                "the chain \(texts.name) of boot \(texts.boot), machine \(texts.machine), counter \(texts.seqnum) of journal \(journal)"
            }
            let id = ChainID(
                machineID: try JournalTable.id(texts.machine, what()),
                seqnumID: try JournalTable.id(texts.seqnum, what()), bootID: try JournalTable.id(texts.boot, what()),
                name: texts.name)
            chains[id] = try coverage(rows, what)
        }
        return chains
    }

    private static func coverage(_ row: borrowing BareStatement, _ what: () -> String) throws -> ChainCoverage {
        guard let numbers = CoverageText.ranges(row.text(9)), let explained = CoverageText.ranges(row.text(10)),
            let spans = CoverageText.ranges(row.text(11)), let openEnds = CoverageText.ranges(row.text(12)),
            let counts = CoverageText.counts(row.text(13))
        else { throw DatabaseError.damaged("\(what()) has numbers or counts that cannot be read") }
        return ChainCoverage(
            numbers: numbers, explained: explained, spans: spans, openEnds: openEnds,
            monotonicMicroseconds: try JournalTable.range(row, from: 5, "\(what()) ends before it begins"),
            lastRealtimeMicroseconds: row.bits(4),
            repeats: RepeatCount(seqnum: row.bits(7), monotonicMicroseconds: row.bits(8), counts: counts))
    }

    static func save(_ chains: [ChainID: ChainCoverage?], ofJournal journal: String, _ db: Database) throws {
        guard !chains.isEmpty else { return }
        let update = try BareStatement(
            db,
            reusing: """
                UPDATE journal_chains SET last_time = ?6, first_monotonic = ?7, last_monotonic = ?8, repeat_seqnum = ?9,
                repeat_monotonic = ?10, numbers = ?11, explained = ?12, spans = ?13, open_ends = ?14, repeat_counts = ?15
                WHERE journal = ?1 AND machine_id = ?2 AND seqnum_id = ?3 AND boot_id = ?4 AND name = ?5
                """)
        let insert = try BareStatement(
            db,
            reusing: """
                INSERT INTO journal_chains (journal, machine_id, seqnum_id, boot_id, name, last_time, first_monotonic,
                last_monotonic, repeat_seqnum, repeat_monotonic, numbers, explained, spans, open_ends, repeat_counts)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
                """)
        let delete = try BareStatement(
            db,
            reusing: """
                DELETE FROM journal_chains
                WHERE journal = ?1 AND machine_id = ?2 AND seqnum_id = ?3 AND boot_id = ?4 AND name = ?5
                """)
        for (id, coverage) in chains {
            guard let coverage else {
                try bind(id, journal, to: delete)
                try delete.run()
                continue
            }
            try run(update, coverage, id, journal)
            if db.changesCount == 0 { try run(insert, coverage, id, journal) }
        }
    }

    private static func bind(_ id: ChainID, _ journal: String, to statement: borrowing BareStatement) throws {
        try statement.bind(1, journal)
        try statement.bind(2, id.machineID.description)
        try statement.bind(3, id.seqnumID.description)
        try statement.bind(4, id.bootID.description)
        try statement.bind(5, id.name)
    }

    private static func run(
        _ statement: borrowing BareStatement, _ coverage: ChainCoverage, _ id: ChainID, _ journal: String
    ) throws {
        try bind(id, journal, to: statement)
        try statement.bind(6, bits: coverage.lastRealtimeMicroseconds)
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
    /// The approximate maximum size of one range, and of one count.
    static let rangeBytes = 42
    static let countBytes = 28

    /// Returns a text such as `1-100,105,107-110`.
    static func text(_ numbers: NumberRanges) -> String {
        numbers.ranges.map { range in
            range.lowerBound == range.upperBound ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
        }.joined(separator: ",")
    }

    static func ranges(_ text: String) -> NumberRanges? {
        var ranges: [ClosedRange<UInt64>] = []
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let ends = part.split(separator: UInt8(ascii: "-"))
            guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), first <= last,
                ends.count <= 2, ranges.count < NumberRanges.maximumCount
            else { return nil }
            ranges.append(first...last)
        }
        let numbers = NumberRanges(ranges)
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
