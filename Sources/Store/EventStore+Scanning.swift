internal import GRDB
internal import Model
internal import Synchronization

extension EventStore {
    /// Reads the columns of all stored events, two parts of them at a time, each on a connection of its own and in short steps.
    /// - Parameter body: takes the columns of some events, and which of them match. Two threads call it.
    func scan(
        _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async throws(StoreError) {
        let parts = ScanParts(try await database.read(lane) { db in try ScanPlace.parts(db) })
        guard !parts.isOne else { return try await scan(parts, predicate, on: lane, body) }
        async let ahead = result(parts, predicate, on: lane.ahead, body)
        try await scan(parts, predicate, on: lane, body)
        try await ahead.get()
    }

    private func result(
        _ parts: ScanParts, _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async -> Result<Void, StoreError> {
        do throws(StoreError) {
            return .success(try await scan(parts, predicate, on: lane, body))
        } catch {
            return .failure(error)
        }
    }

    private func scan(
        _ parts: ScanParts, _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async throws(StoreError) {
        var part = parts.next()
        try await inSteps(&part, on: lane) { part, db, turn in
            while var place = part {
                let isUnfinished = try place.step(predicate, db, turn, body)
                part = isUnfinished ? place : parts.next()
                if turn.shouldEnd { break }
            }
            return part != nil
        }
    }
}

/// The parts of a scan that nobody has begun to read.
private final class ScanParts: Sendable {
    private let rest: Mutex<ArraySlice<ScanPlace>>
    /// Whether one reader is enough.
    let isOne: Bool

    init(_ parts: [ScanPlace]) {
        rest = Mutex(parts[...])
        isOne = parts.count <= 1
    }

    func next() -> ScanPlace? { rest.withLock { $0.popFirst() } }
}
