import Testing

@testable import Store

struct ColumnCacheTests {
    private func block(_ first: Int64) -> StoredBlock {
        StoredBlock(ids: first...first + 9, count: 10, times: 0...1, payloadBytes: 100)
    }

    /// Columns of about 1,000 bytes for each number.
    private func columns(_ numbers: Int64...) -> UnpackedColumns {
        var columns = UnpackedColumns()
        columns.numbers[.ids] = PackedIntegers(numbers.flatMap { Array(repeating: $0, count: 125) })
        return columns
    }

    /// The first number of the columns of a block that are cached.
    private func first(of block: Int64, _ reader: ColumnCache.Reader) -> Int64? {
        reader.columns(of: self.block(block)).numbers[.ids].map { $0[0] }
    }

    @Test func `columns that were read are found by the next reader, separately for each block`() {
        let cache = ColumnCache()
        cache.current.keep(columns(11), of: block(1))
        #expect(first(of: 1, cache.current) == 11 && first(of: 100, cache.current) == nil)
        cache.current.keep(columns(21), of: block(100))
        let bytes = cache.bytes
        #expect(first(of: 1, cache.current) == 11 && first(of: 100, cache.current) == 21 && bytes > 2000)
        cache.current.keep(columns(12), of: block(1))
        #expect(first(of: 1, cache.current) == 12 && cache.bytes == bytes)
    }

    @Test func `after a block was rewritten no earlier columns are found, whichever reader added them`() {
        let cache = ColumnCache()
        let before = cache.current
        before.keep(columns(11), of: block(1))
        cache.rewriting {
            #expect(cache.bytes == 0)
            // It may see the block as it was, or as it becomes.
            let meanwhile = cache.current
            meanwhile.keep(columns(13), of: block(1))
            #expect(first(of: 1, meanwhile) == nil)
        }
        #expect(cache.bytes == 0)
        cache.current.keep(columns(12), of: block(1))
        // An earlier snapshot neither gives nor takes.
        before.keep(columns(11), of: block(1))
        #expect(first(of: 1, before) == nil && first(of: 1, cache.current) == 12)
    }

    @Test func `the least recently used block is evicted, but never the one that was read last`() {
        let cache = ColumnCache(capacity: 4000)
        for number in 1...3 as ClosedRange<Int64> { cache.current.keep(columns(number), of: block(number * 100)) }
        cache.current.keep(columns(1), of: block(100))
        cache.current.keep(columns(4), of: block(400))
        #expect(first(of: 100, cache.current) == 1 && first(of: 200, cache.current) == nil)
        #expect(first(of: 300, cache.current) == 3 && first(of: 400, cache.current) == 4 && cache.bytes < 4000)
        cache.current.keep(columns(5, 6, 7, 8, 9), of: block(500))
        #expect(first(of: 500, cache.current) == 5 && first(of: 400, cache.current) == nil && cache.bytes > 5000)
    }
}
