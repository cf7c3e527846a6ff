import Foundation
import GRDB

@testable import Store

/// The bytes that payloads have in the database: packed, in filters, in rows and in batches. Searching for a text
/// would prove nothing about compressed data. Therefore every piece of these bytes is searched for, at any position:
/// in pages, between their cells, in free pages, in the log.
struct Traces {
    private static let length = 16
    /// The pieces at every fourth byte, so that each value has several.
    private var pieces: Set<UInt64> = []

    /// Collects the pieces of everything that is stored now.
    init(_ store: EventStore) async throws {
        for blob in try await Self.blobs(store) { Self.forEach(in: blob, step: 4) { _, piece in pieces.insert(piece) } }
    }

    /// Returns the pieces that are no longer stored at any position.
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

    /// Returns the pieces that the other does not have.
    func subtracting(_ other: Traces) -> Traces {
        var traces = self
        traces.pieces.subtract(other.pieces)
        return traces
    }

    var isEmpty: Bool { pieces.isEmpty }

    /// Returns the positions of the pieces in the files.
    func found(in folder: String) -> [String] {
        ["events.sqlite", "events.sqlite-wal"].flatMap { name in
            places(in: folder + "/" + name).map { "\(name) page \($0 / 4096 + 1) byte \($0 % 4096)" }
        }
    }

    /// Returns the pages of the database that have some of the pieces, from 1.
    func pages(in folder: String) -> Set<Int> { Set(places(in: folder + "/events.sqlite").map { $0 / 4096 + 1 }) }

    private func places(in file: String) -> [Int] {
        guard let data = FileManager.default.contents(atPath: file) else { return [] }
        var places: [Int] = []
        Self.forEach(in: data, step: 1) { if pieces.contains($1) { places.append($0) } }
        return places
    }

    /// Calls `body` with pieces, except those of few different bytes, which are everywhere.
    private static func forEach(in data: Data, step: Int, _ body: (Int, UInt64) -> Void) {
        data.withUnsafeBytes { bytes in
            for start in stride(from: 0, through: bytes.count - length, by: step) {
                let one = bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                let other = bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
                // Skips zeros, and rows of one byte.
                if one == other || isPlain(one) || isPlain(other) { continue }
                body(start, (one &* 0x9E37_79B9_7F4A_7C15) ^ (other &* 0xC2B2_AE3D_27D4_EB4F).byteSwapped)
            }
        }
    }

    /// Returns whether more than half of the bytes are zero.
    private static func isPlain(_ word: UInt64) -> Bool {
        var (rest, zeros) = (word, 0)
        for _ in 0..<8 {
            if rest & 0xFF == 0 { zeros += 1 }
            rest >>= 8
        }
        return zeros > 4
    }
}
