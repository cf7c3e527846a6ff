internal import GRDB
internal import JSON
internal import Model

/// Takes the columns of one event.
enum EventRow {
    static let columns = "id, series, time, monotonic, seqnum, xor_hash, ordinal, pid, findings, payload"
    /// The first of them.
    static let shortColumns = "id, series, time"

    static func id(_ row: borrowing BareStatement) -> Int64 { row.int64(0) }
    static func series(_ row: borrowing BareStatement) -> Int64 { row.int64(1) }
    static func time(_ row: borrowing BareStatement) -> Int64 { row.int64(2) }
    static func payload(_ row: borrowing BareStatement) -> UnsafeRawBufferPointer { row.bytes(9) }

    static func findingsText(_ row: borrowing BareStatement) -> UnsafeRawBufferPointer { row.bytes(8) }

    static func event(_ row: borrowing BareStatement, of series: Series, findings: Findings?) -> Event {
        Event(
            id: id(row), origin: series.origin, level: series.level,
            pid: row.optionalInt64(7).map { Int32(truncatingIfNeeded: $0) }, seqnum: row.bits(4),
            monotonicMicroseconds: row.bits(3), realtimeMicroseconds: row.bits(2), xorHash: row.bits(5),
            ordinal: UInt32(truncatingIfNeeded: row.int64(6)), resolution: series.resolution, kind: series.kind,
            findings: findings, payload: Array(payload(row)))
    }

    static func findings(_ row: borrowing BareStatement) throws -> Findings? {
        findingsText(row).isEmpty ? nil : try findings(findingsText(row), of: id(row))
    }

    /// - Parameter id: of the event, for the error.
    static func findings(_ text: UnsafeRawBufferPointer, of id: Int64) throws -> Findings {
        do {
            return try FindingsText.decoded(Array(text))
        } catch {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the findings of event \(id): \(error)")
        }
    }
}
