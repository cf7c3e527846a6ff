import Testing

@testable import Control

struct SideBySideTests {
    @Test(arguments: [0, 1, 31, 32, 33, 300], [-1, 1, 2, 3, 8])
    func `parts are all there is, in order, and none is short`(count: Int, processors: Int) {
        let parts = SideBySide.parts(Array(0..<count), ofAtLeast: 16, processors: processors)
        #expect(parts.flatMap(\.self) == Array(0..<count))
        #expect(parts.count == max(1, min(processors, 4, count / 16)))
        #expect(parts.count == 1 || parts.allSatisfy { $0.count >= 16 })
    }

    @Test func `results are in the order of the elements`() {
        for count in [0, 1, 2, 100] {
            #expect(SideBySide.map(Array(0..<count)) { "\($0)" } == (0..<count).map { "\($0)" })
        }
    }
}
