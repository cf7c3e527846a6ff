internal import Synchronization

/// A cache of unpacked columns that were read recently: a page of an answer usually comes from the same block as the
/// previous page. All readers share it.
final class ColumnCache: Sendable {
    private struct Entry {
        var columns: [Int: any Sendable] = [:]
        var bytes = 0
        var lastUse = 0
    }

    fileprivate struct Key: Hashable {
        var block: StoredBlock
        var generation: Int?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses = 0
        /// A number that changes whenever blocks are rewritten.
        var generation = 0
        /// The number of rewrites that run now.
        var rewrites = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: in bytes. All columns of the block that is being read are kept, even if they exceed it.
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

    /// A reader of the current generation. It must be requested before the snapshot begins, so that the snapshot is
    /// not older than the cached columns.
    var current: Reader {
        Reader(cache: self, generation: state.withLock { $0.rewrites > 0 ? nil : $0.generation })
    }

    /// A view of the cache for one read of the database.
    struct Reader {
        fileprivate let cache: ColumnCache
        /// `nil` if nothing is cached for the reader.
        fileprivate let generation: Int?

        func columns(of block: StoredBlock) -> Columns {
            Columns(cache: cache, key: Key(block: block, generation: generation))
        }
    }

    /// The cached columns of one block.
    struct Columns {
        private let cache: ColumnCache
        private let key: Key

        fileprivate init(cache: ColumnCache, key: Key) {
            self.cache = cache
            self.key = key
        }

        /// Returns a column from the cache, or reads and adds it.
        /// - Parameters:
        ///   - number: the number of the column.
        ///   - bytes: returns the approximate size of the column.
        ///   - read: reads the column when it is not cached.
        func column<Value: Sendable>(
            _ number: Int, bytes: (Value) -> Int, _ read: () throws -> Value?
        ) rethrows -> Value? {
            if let known = cache.column(number, of: key) as? Value { return known }
            guard let value = try read() else { return nil }
            cache.keep(value, bytes(value), as: number, of: key)
            return value
        }
    }

    private func column(_ number: Int, of key: Key) -> (any Sendable)? {
        state.withLock { state in
            state.uses += 1
            state.entries[key]?.lastUse = state.uses
            return state.entries[key]?.columns[number]
        }
    }

    private func keep(_ column: any Sendable, _ bytes: Int, as number: Int, of key: Key) {
        state.withLock { state in
            guard key.generation == state.generation else { return }
            var entry = state.entries[key] ?? Entry(lastUse: state.uses)
            guard entry.columns.updateValue(column, forKey: number) == nil else { return }
            entry.bytes += bytes
            state.entries[key] = entry
            state.bytes += bytes
            while state.bytes > capacity,
                let oldest = state.entries.lazy.filter({ $0.key != key }).min(by: {
                    $0.value.lastUse < $1.value.lastUse
                })
            {
                state.entries[oldest.key] = nil
                state.bytes -= oldest.value.bytes
            }
        }
    }
}
