import TestSupport
import Testing

@testable import Store

struct OffsetSetTests {
    @Test(arguments: [0, 1, 2, 255, 256, 257, 1000, 4096])
    func `offsets come back, however many there are`(_ count: Int) {
        var random = SeededGenerator(seed: UInt64(count))
        let offsets = Array((0..<4096).shuffled(using: &random).prefix(count).sorted())
        let bytes = OffsetSet.encoded(offsets.map(UInt16.init))
        #expect(bytes.count <= 512)
        var set = OffsetSet()
        #expect(bytes.withUnsafeBytes { set.insert(encoded: $0, count: count) })
        #expect(set.offsets == offsets)
    }

    @Test func `what was not encoded here is refused`() {
        var set = OffsetSet()
        #expect(![UInt8](repeating: 0, count: 3).withUnsafeBytes { set.insert(encoded: $0, count: 2) })
        #expect(![0x00 as UInt8, 0x10].withUnsafeBytes { set.insert(encoded: $0, count: 1) })
        #expect(![UInt8](repeating: 0, count: 511).withUnsafeBytes { set.insert(encoded: $0, count: 300) })
        #expect(set.offsets.isEmpty)
    }
}
