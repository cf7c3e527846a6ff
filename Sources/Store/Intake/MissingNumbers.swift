internal import GRDB
internal import Model

/// Updates the gap records of missing sequence numbers to what is missing now: a file that arrives late may contain
/// some or all of these entries.
struct MissingNumbers {
    private(set) var closed = 0
    private(set) var inserted = 0

    private struct Hole {
        var gap: Gap
        var numbers: ClosedRange<UInt64>

        init?(_ gap: Gap) {
            guard let numbers = gap.numbers else { return nil }
            self.gap = gap
            self.numbers = numbers
        }

        /// Returns whether updating the record would change nothing. The time at which a gap was found, and its
        /// place, are never updated.
        func saysTheSame(as other: Hole) -> Bool {
            numbers == other.numbers && gap.count == other.gap.count && gap.certainty == other.gap.certainty
                && gap.from == other.gap.from && gap.to == other.gap.to && gap.message == other.gap.message
        }
    }

    private struct Known {
        var id: Int64
        var hole: Hole
    }

    /// - Parameters:
    ///   - gaps: all gaps of the boot; those without numbers are skipped.
    ///   - kept: how many records of all gaps are kept.
    ///   - place: returns the event after which a new record is placed.
    mutating func reconcile(
        _ gaps: [Gap], of boot: BootOfMachine, keeping kept: Int64, _ db: Database, place: (Gap) -> Int64
    ) throws {
        var listed = gaps.compactMap(Hole.init).sorted { $0.numbers.lowerBound < $1.numbers.lowerBound }
        var known = try Self.known(of: boot, db)
        let (all, lowest) = (listed.map(\.numbers), known.first?.hole.numbers.lowerBound)
        // Unchanged holes keep their records first, whatever else overlaps them.
        try match(&listed, &known, db) { $0 == $1 }
        try match(&listed, &known, db) { $0.overlaps($1) }
        // The records of lower holes were removed as the oldest. They would take the place of others, whenever a hole changes.
        if let lowest, try GapTable.everSeen(db) > kept { listed.removeAll { $0.numbers.upperBound < lowest } }
        for hole in listed { try GapTable.insert(hole.gap, of: boot, afterEventID: place(hole.gap), db) }
        inserted += listed.count
        for record in known {
            try GapTable.remove(id: record.id, db)
            // A record that was merged into another one is still missing.
            if !all.contains(where: { $0.overlaps(record.hole.numbers) }) { closed += 1 }
        }
    }

    private static func known(of boot: BootOfMachine, _ db: Database) throws -> [Known] {
        try GapTable.missing(of: boot, db).compactMap { record in
            Hole(record.gap).map { Known(id: record.id, hole: $0) }
        }.sorted { $0.hole.numbers.lowerBound < $1.hole.numbers.lowerBound }
    }

    /// Assigns matching records to listed holes, and removes both from the lists.
    private func match(
        _ listed: inout [Hole], _ known: inout [Known], _ db: Database,
        _ fits: (ClosedRange<UInt64>, ClosedRange<UInt64>) -> Bool
    ) throws {
        try listed.removeAll { hole in
            guard let index = known.firstIndex(where: { fits($0.hole.numbers, hole.numbers) }) else { return false }
            let record = known.remove(at: index)
            var hole = hole
            // The events beside the hole may have been deleted since they were found.
            hole.gap.from = hole.gap.from ?? record.hole.gap.from
            hole.gap.to = hole.gap.to ?? record.hole.gap.to
            if !record.hole.saysTheSame(as: hole) { try GapTable.update(id: record.id, to: hole.gap, db) }
            return true
        }
    }
}
