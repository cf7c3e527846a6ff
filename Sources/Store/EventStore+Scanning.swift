internal import GRDB
internal import Model
internal import Synchronization

extension EventStore {
    /// Returns the places where scans of all stored events begin, each of a part of them.
    func scanParts(on lane: ReadLane) async throws(StoreError) -> [ScanPlace] {
        try await database.read(lane) { db in try ScanPlace.parts(db) }
    }

    /// Reads the columns of stored events, two parts of them at a time, each on a connection of its own and in short steps.
    /// - Parameter body: takes the columns of some events, and which of them match. Two threads call it.
    func scan(
        _ parts: [ScanPlace], _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async throws(StoreError) {
        let rest = ScanRest(parts)
        guard parts.count > 1 else { return try await scan(rest, predicate, on: lane, body) }
        async let other = result(rest, predicate, on: lane.beside, body)
        try await scan(rest, predicate, on: lane, body)
        try await other.get()
    }

    private func result(
        _ rest: ScanRest, _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async -> Result<Void, StoreError> {
        do throws(StoreError) {
            return .success(try await scan(rest, predicate, on: lane, body))
        } catch {
            rest.removeAll()
            return .failure(error)
        }
    }

    private func scan(
        _ rest: ScanRest, _ predicate: Predicate, on lane: ReadLane,
        _ body: @escaping @Sendable (any EventColumns, [Int]) throws -> Void
    ) async throws(StoreError) {
        var part = rest.next()
        try await inSteps(&part, on: lane) { part, db, turn in
            while var place = part {
                let isUnfinished = try place.step(predicate, db, turn, body)
                part = isUnfinished ? place : rest.next()
                if turn.shouldEnd { break }
            }
            return part != nil
        }
    }
}

/// The parts of a scan that nobody has begun to read.
private final class ScanRest: Sendable {
    private let parts: Mutex<ArraySlice<ScanPlace>>

    init(_ parts: [ScanPlace]) { self.parts = Mutex(parts[...]) }

    func next() -> ScanPlace? { parts.withLock { $0.popFirst() } }
    func removeAll() { parts.withLock { $0 = [] } }
}
