import Foundation
import GRDB
import Model

/// The events of a store's file, read only by what docs/store.md says. It uses no code of the store.
struct DescribedStore {
    struct Filters {
        var names: [UInt8]
        var values: [UInt8]
    }

    private(set) var blocks: [(block: DescribedBlock, filters: Filters)] = []
    private(set) var openEvents: [Event] = []
    /// The forms that occurred.
    private(set) var met: Set<String> = []

    var events: [Event] { blocks.flatMap(\.block.events) + openEvents }

    init(path: String) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.read { db in
            guard try Int.fetchOne(db, sql: "PRAGMA user_version") == Self.layout(),
                try Int.fetchOne(db, sql: "PRAGMA application_id") == 0x476C_6F73
            else { throw FormatError("another layout") }
            try readBlocks(db)
            try readOpenEvents(db)
        }
        try queue.close()
    }

    /// The layout that the page describes.
    private static func layout() throws -> Int? {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/store.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        return text.firstMatch(of: #/describes layout (\d+) \(`PRAGMA user_version`/#).flatMap { Int($0.1) }
    }

    private mutating func readBlocks(_ db: Database) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT first_id, last_id, events, min_time, max_time, payload_bytes, levels, names, filter, data
                FROM blocks JOIN block_values USING (first_id) JOIN block_data USING (first_id) ORDER BY first_id
                """)
        var columns = DescribedColumns()
        for row in rows {
            let numbers: [Int64] = (0...6).map { row[$0] }
            let seed = numbers.reduce(0) { DescribedHash.mix($0 ^ UInt64(bitPattern: $1)) }
            let filters = Filters(
                names: try DescribedBytes.checked(Self.blob(row, 7), seed: seed),
                values: try DescribedBytes.checked(DescribedBytes.withoutZeros(Self.blob(row, 8))))
            let block = try DescribedBlock(DescribedBytes.withoutZeros(Self.blob(row, 9)), &columns)
            let times = block.events.map { Int64(bitPattern: $0.realtimeMicroseconds) }
            let levels = Set(block.events.map(\.effectiveLevel)).reduce(0) { $0 | Int64(1) << $1.rawValue }
            let found = [
                block.events.first?.id, block.events.last?.id, Int64(block.events.count), times.min(), times.max(),
                Int64(block.contentBytes), levels,
            ]
            guard found == numbers else { throw FormatError("a block has \(found), and its row \(numbers)") }
            blocks.append((block, filters))
        }
        met = columns.met
    }

    private mutating func readOpenEvents(_ db: Database) throws {
        let origins = try texts(Self.checkedRows(db, "open_senders")).mapValues(DescribedRows.origin)
        let kinds = try texts(Self.checkedRows(db, "open_kinds")).mapValues(DescribedRows.kind)
        for row in try Self.checkedRows(db, "open_events") {
            guard let origin = origins[row["sender"]], let kind = kinds[row["kind"]] else { throw FormatError("names") }
            let findings: String? = row["findings"]
            let (time, monotonic): (Int64, Int64) = (row["time"], row["monotonic"])
            let (seqnum, entryHash): (Int64, Int64) = (row["seqnum"], row["entry_hash"])
            openEvents.append(
                Event(
                    id: row["id"], origin: origin, level: try DescribedRows.level(row["level"]), pid: row["pid"],
                    seqnum: UInt64(bitPattern: seqnum), monotonicMicroseconds: UInt64(bitPattern: monotonic),
                    realtimeMicroseconds: UInt64(bitPattern: time), entryHash: UInt64(bitPattern: entryHash),
                    ordinal: row["ordinal"], resolution: kind.resolution, kind: kind.kind,
                    findings: try DescribedFindings.findings(Array((findings ?? "").utf8)),
                    payload: Self.blob(row, "payload"), text: try DescribedRows.text(Self.blob(row, "text")),
                    program: ProgramFacts(
                        level: try (row["program_level"] as Int64?).map(DescribedRows.level),
                        timeMicroseconds: (row["program_time"] as Int64?).map { UInt64(bitPattern: $0) })))
        }
    }

    /// Returns the rows of a table, each of which has a checksum.
    private static func checkedRows(_ db: Database, _ table: String) throws -> [Row] {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table) ORDER BY 1")
        for row in rows {
            let checksum = row.databaseValues.dropLast().reduce(0 as UInt64) { seed, value in
                switch value.storage {
                case .null, .double: DescribedHash.mix(seed ^ .max)
                case .int64(let number): DescribedHash.mix(seed ^ UInt64(bitPattern: number))
                case .string(let text): DescribedHash.checksum(Array(text.utf8), seed: seed)
                case .blob(let bytes): DescribedHash.checksum(Array(bytes), seed: seed)
                }
            }
            guard Int64(bitPattern: checksum) == row["checksum"] else { throw FormatError("a row of \(table)") }
        }
        return rows
    }

    /// Returns rows by their numbers, with the columns in the order that blocks have.
    private func texts(_ rows: [Row]) -> [Int64: [String?]] {
        Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (
                    row[0],
                    (1..<row.count - 1).map {
                        String.fromDatabaseValue(row[$0]) ?? Int64.fromDatabaseValue(row[$0])?.description
                    }
                )
            })
    }

    private static func blob(_ row: Row, _ column: String) -> [UInt8] {
        Array(row.columnNames).firstIndex(of: column).map { blob(row, $0) } ?? []
    }

    private static func blob(_ row: Row, _ column: Int) -> [UInt8] {
        (try? row.withUnsafeData(atIndex: column) { $0.map { Array($0) } ?? [] }) ?? []
    }
}
