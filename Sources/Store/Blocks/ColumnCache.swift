internal import Synchronization

/// A cache of the blocks that were read recently: a page of an answer usually begins in the block in which the previous page
/// ended. All readers share it.
final class ColumnCache: Sendable {
    private struct Entry {
        var columns: UnpackedColumns
        var bytes: Int
        var lastUse: Int
    }

    private struct State {
        var entries: [StoredBlock: Entry] = [:]
        var bytes = 0
        var uses = 0
        /// A number that changes whenever blocks are rewritten.
        var generation = 0
        /// The number of rewrites that run now.
        var rewrites = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: in bytes. The block that was read last is kept, even if it exceeds it.
    init(capacity: Int = 4 << 20) { self.capacity = capacity }

    /// The size of the cached columns, in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// Runs a transaction that rewrites blocks. Columns that were read earlier are not given to readers that begin later.
    /// A reader that begins meanwhile may see the blocks as they were or as they become, so nothing is cached for it.
    func rewriting<Result>(_ transaction: () throws -> Result) rethrows -> Result {
        change(rewrites: 1)
        defer { change(rewrites: -1) }
        return try transaction()
    }

    private func change(rewrites: Int) {
        state.withLock { state in
            state.generation += 1
            state.rewrites += rewrites
            state.entries.removeAll()
            state.bytes = 0
        }
    }

    /// A reader of the current generation. It must be requested before the first read of a transaction, with which its snapshot
    /// begins, so that the snapshot is not older than the cached columns.
    var current: Reader {
        Reader(cache: self, generation: state.withLock { $0.rewrites > 0 ? nil : $0.generation })
    }

    /// A view of the cache for one read of the database.
    struct Reader {
        fileprivate let cache: ColumnCache
        /// `nil` if nothing is cached for the reader.
        fileprivate let generation: Int?

        /// Returns the columns of a block that are cached.
        func columns(of block: StoredBlock) -> UnpackedColumns { cache.columns(of: block, for: generation) }

        /// Keeps the columns of a block that was read.
        func keep(_ columns: UnpackedColumns, of block: StoredBlock) { cache.keep(columns, of: block, for: generation) }
    }

    private func columns(of block: StoredBlock, for generation: Int?) -> UnpackedColumns {
        state.withLock { state in
            guard generation == state.generation else { return UnpackedColumns() }
            return state.entries[block]?.columns ?? UnpackedColumns()
        }
    }

    private func keep(_ columns: UnpackedColumns, of block: StoredBlock, for generation: Int?) {
        let bytes = columns.bytes
        // What it replaces is freed when others may use the cache again.
        let freed: [Entry?] = state.withLock { state in
            guard generation == state.generation else { return [] }
            state.uses += 1
            let entry = Entry(columns: columns, bytes: bytes, lastUse: state.uses)
            var freed = [state.entries.updateValue(entry, forKey: block)]
            state.bytes += bytes - (freed[0]?.bytes ?? 0)
            while state.bytes > capacity, state.entries.count > 1,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })
            {
                freed.append(state.entries.removeValue(forKey: oldest.key))
                state.bytes -= oldest.value.bytes
            }
            return freed
        }
        withExtendedLifetime(freed) {}
    }
}

/// The columns of a block that have been unpacked.
struct UnpackedColumns: Sendable {
    /// Where its parts are, by the number of their section.
    var parts: [BlockContent.Part?]?
    var numbers: [BlockSection: PackedIntegers] = [:]
    var tables: [BlockSection: EventTexts] = [:]
    var shapes: PayloadShapes?
    var values: [BlockSection: PackedValues] = [:]

    /// The approximate number of bytes in memory.
    var bytes: Int {
        var bytes = (parts?.count ?? 0) * MemoryLayout<BlockContent.Part?>.stride + (shapes?.memory ?? 0)
        for column in numbers.values { bytes += column.memory }
        for table in tables.values { bytes += table.table.memory }
        for column in values.values { bytes += column.memory }
        return bytes
    }
}
