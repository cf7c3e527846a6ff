internal import Synchronization

/// Columns of blocks that were read lately, as they come out of them, for whoever reads next: a page of an answer usually
/// comes from the block that the page before came from. All readers share it.
final class ColumnCache: Sendable {
    private struct Entry {
        var columns: [Int: any Sendable] = [:]
        var bytes = 0
        var lastUse = 0
    }

    fileprivate struct Key: Hashable {
        var block: StoredBlock
        var generation: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var bytes = 0
        var uses = 0
        /// How often blocks were rewritten.
        var generation = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: in bytes. The block that is read has all of its columns kept, whatever they take.
    init(capacity: Int = 4 << 20) { self.capacity = capacity }

    /// How much is kept, in bytes.
    var bytes: Int { state.withLock(\.bytes) }

    /// To be called when a block was rewritten. What was read before is not given to those who ask from then on.
    func forget() {
        state.withLock { state in
            state.generation += 1
            state.entries.removeAll()
            state.bytes = 0
        }
    }

    /// The columns as they are now, for readers whose snapshot is not older: to be asked for before it begins.
    var current: Reader { Reader(cache: self, generation: state.withLock(\.generation)) }

    /// For one read of the database.
    struct Reader {
        fileprivate let cache: ColumnCache
        fileprivate let generation: Int

        func columns(of block: StoredBlock) -> Columns {
            Columns(cache: cache, key: Key(block: block, generation: generation))
        }
    }

    /// Those of a block.
    struct Columns {
        private let cache: ColumnCache
        private let key: Key

        fileprivate init(cache: ColumnCache, key: Key) {
            self.cache = cache
            self.key = key
        }

        /// - Parameters:
        ///   - number: of the column.
        ///   - bytes: about what it takes.
        ///   - read: makes it when it is not there.
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
