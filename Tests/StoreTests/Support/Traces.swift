import Foundation
import GRDB

@testable import Store

/// What payloads are in the database as: packed, in filters, in rows and in batches. Looking for a text would prove nothing of
/// what is compressed, so every piece of those bytes is looked for, wherever it may lie: in pages, between their cells, in
/// free pages, in the log.
struct Traces {
    private static let length = 16
    /// At every fourth byte: a value has more of them.
    private var pieces: Set<UInt64> = []

    /// Of all that is stored now.
    init(_ store: EventStore) async throws {
        for blob in try await Self.blobs(store) { Self.forEach(in: blob, step: 4) { _, piece in pieces.insert(piece) } }
    }

    /// Leaves those that are no longer stored, at whatever place.
    func gone(from store: EventStore) async throws -> Traces {
        var traces = self
        for blob in try await Self.blobs(store) { Self.forEach(in: blob, step: 1) { traces.pieces.remove($1) } }
        return traces
    }

    private static func blobs(_ store: EventStore) async throws -> [Data] {
        try await store.database.write { db in
            try [
                "data FROM block_data", "filter FROM block_values", "payload FROM open_events",
                "findings FROM open_events WHERE findings IS NOT NULL", "body FROM batches",
            ].flatMap { try Data.fetchAll(db, sql: "SELECT \($0)") }
        }
    }

    /// Those that the other has not.
    func subtracting(_ other: Traces) -> Traces {
        var traces = self
        traces.pieces.subtract(other.pieces)
        return traces
    }

    var isEmpty: Bool { pieces.isEmpty }

    /// Where they are in the files.
    func found(in folder: String) -> [String] {
        ["events.sqlite", "events.sqlite-wal"].flatMap { name in
            places(in: folder + "/" + name).map { "\(name) page \($0 / 4096 + 1) byte \($0 % 4096)" }
        }
    }

    /// The pages of the database that have some, from 1.
    func pages(in folder: String) -> Set<Int> { Set(places(in: folder + "/events.sqlite").map { $0 / 4096 + 1 }) }

    private func places(in file: String) -> [Int] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        var places: [Int] = []
        Self.forEach(in: data, step: 1) { if pieces.contains($1) { places.append($0) } }
        return places
    }

    /// Pieces of few different bytes are everywhere.
    private static func forEach(in data: Data, step: Int, _ body: (Int, UInt64) -> Void) {
        data.withUnsafeBytes { bytes in
            for start in stride(from: 0, through: bytes.count - length, by: step) {
                let one = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                let other = bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
                // Zeros, and rows of one byte.
                if one == other || isPlain(one) || isPlain(other) { continue }
                body(start, (one &* 0x9E37_79B9_7F4A_7C15) ^ (other &* 0xC2B2_AE3D_27D4_EB4F).byteSwapped)
            }
        }
    }

    /// Whether more than half of the bytes are zero.
    private static func isPlain(_ word: UInt64) -> Bool {
        var (rest, zeros) = (word, 0)
        for _ in 0..<8 {
            if rest & 0xFF == 0 { zeros += 1 }
            rest >>= 8
        }
        return zeros > 4
    }
}
