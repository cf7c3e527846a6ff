import Testing

@testable import Store

struct KeptBlocksTests {
    private func block(_ first: Int64) -> StoredBlock {
        StoredBlock(ids: first...first + 9, count: 10, times: 0...1, payloadBytes: 100)
    }

    private func columns(_ bytes: Int) -> UnpackedColumns {
        var columns = UnpackedColumns()
        columns.numbers[.ids] = PackedIntegers([Int64](repeating: 1, count: bytes / 8))
        return columns
    }

    @Test func `blocks are kept once they were read several times, the first ones as far as there is room`() {
        let kept = KeptBlocks()
        func isKept(_ first: Int64) -> Bool { kept.columns(of: block(first)).numbers[.ids] != nil }
        for _ in 0..<4 {
            kept.beginScan()
            kept.keep(columns(1000), of: block(1))
            #expect(!isKept(1))
        }
        kept.beginScan()
        for first in [1, 100, 200, 300] as [Int64] { kept.keep(columns(20 << 20), of: block(first)) }
        #expect(isKept(1) && isKept(100) && !isKept(200) && !isKept(300))
        // What is smaller has room, and one that is there may grow only as far.
        kept.keep(columns(1 << 20), of: block(300))
        kept.keep(columns(40 << 20), of: block(1))
        #expect(isKept(300) && kept.columns(of: block(1)).bytes < 21 << 20)
    }
}
