import Testing

@testable import Store

struct ColumnCacheTests {
    private func block(_ first: Int64) -> StoredBlock {
        StoredBlock(ids: first...first + 9, count: 10, times: 0...1, payloadBytes: 100)
    }

    /// Returns the cached column, or the one that is created from `value`.
    private func column(
        _ number: Int, of first: Int64, _ reader: ColumnCache.Reader, bytes: Int = 100, making value: Int
    ) -> Int? {
        reader.columns(of: block(first)).column(number, bytes: { (_: Int) in bytes }) { value }
    }

    @Test func `columns that were read are found by the next reader, separately for each block`() {
        let cache = ColumnCache()
        #expect(column(1, of: 1, cache.current, making: 11) == 11)
        #expect(column(1, of: 1, cache.current, making: 0) == 11)
        #expect(column(2, of: 1, cache.current, making: 12) == 12)
        #expect(column(1, of: 100, cache.current, making: 21) == 21)
        #expect(column(1, of: 1, cache.current, making: 0) == 11)
        #expect(cache.bytes == 300)
    }

    @Test func `after a block was rewritten no earlier columns are found, whichever reader added them`() {
        let cache = ColumnCache()
        let before = cache.current
        #expect(column(1, of: 1, before, making: 11) == 11)
        cache.rewriting {
            #expect(cache.bytes == 0)
            // It may see the block as it was, or as it becomes.
            let meanwhile = cache.current
            #expect(column(1, of: 1, meanwhile, making: 13) == 13)
            #expect(column(1, of: 1, meanwhile, making: 14) == 14)
        }
        #expect(cache.bytes == 0)
        #expect(column(1, of: 1, cache.current, making: 12) == 12)
        // An earlier snapshot continues with what it reads itself.
        #expect(column(1, of: 1, before, making: 11) == 11)
        #expect(column(1, of: 1, cache.current, making: 0) == 12)
        #expect(cache.bytes == 100)
    }

    @Test func `the least recently used block is evicted, but never the one that is being read`() {
        let cache = ColumnCache(capacity: 1000)
        for first in [1, 100, 200] as [Int64] {
            #expect(column(1, of: first, cache.current, bytes: 300, making: 1) == 1)
        }
        #expect(column(1, of: 1, cache.current, making: 2) == 1)
        #expect(column(1, of: 300, cache.current, bytes: 300, making: 1) == 1)
        #expect(cache.bytes == 900)
        #expect(column(1, of: 1, cache.current, making: 2) == 1)
        #expect(column(1, of: 100, cache.current, bytes: 300, making: 2) == 2)
        #expect(column(1, of: 500, cache.current, bytes: 5000, making: 1) == 1)
        #expect(cache.bytes == 5000)
        #expect(column(1, of: 500, cache.current, making: 2) == 1)
    }
}
