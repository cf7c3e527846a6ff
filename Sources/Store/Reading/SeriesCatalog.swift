internal import GRDB
internal import Model
internal import Synchronization

/// Series by their id, for those who read. A row of `series` never says something else later and its id is never used
/// again, so what was read once stays right; how much is kept is bounded.
final class SeriesCatalog: Sendable {
    private static let capacity = 1024
    private static let longestKept = 1024

    private let kept = Mutex<[Int64: Series]>([:])

    func series(_ id: Int64, _ db: Database) throws -> Series {
        if let series = kept.withLock({ $0[id] }) { return series }
        let series = try Self.load(id, db)
        guard series.textBytes <= Self.longestKept else { return series }
        kept.withLock { kept in
            if kept.count >= Self.capacity { kept.removeAll(keepingCapacity: true) }
            kept[id] = series
        }
        return series
    }

    private static func load(_ id: Int64, _ db: Database) throws -> Series {
        let row = try BareStatement(
            db,
            reusing: """
                SELECT subsystem, category, host, boot_id, seqnum_id, identifier, unit, process_uid, source,
                level, resolution, dictionary, definitions_version, event_category, event_name FROM series WHERE id = ?
                """)
        try row.bind(1, id)
        guard try row.step(), let bootID = ID128(row.text(3)), let seqnumID = ID128(row.text(4)),
            let level = UInt8(exactly: row.int64(9)).flatMap(Level.init(rawValue:)),
            let resolution = Resolution(rawValue: row.text(10))
        else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "series \(id) is missing or not as we write it")
        }
        let origin = Origin(
            subsystem: row.text(0), category: row.text(1), host: row.text(2), bootID: bootID, seqnumID: seqnumID,
            identifier: row.optionalText(5), unit: row.optionalText(6),
            processUID: row.optionalInt64(7).map { UInt32(truncatingIfNeeded: $0) }, source: row.text(8))
        let key = row.isNull(14) ? nil : EventKey(category: row.text(13), name: row.text(14))
        let kind = EventKind(dictionary: row.optionalText(11), definitionsVersion: row.optionalText(12), key: key)
        return Series(origin: origin, level: level, resolution: resolution, kind: kind)
    }
}
