import TestSupport
import Testing

@testable import Queries

/// What reports put in order.
struct MostFirstTests {
    @Test(arguments: [0, 1, 7, 100, 1999, 2000, 5000])
    func `as many as are wanted come as they would if all were put in order`(limit: Int) {
        var random = SeededGenerator(seed: UInt64(limit))
        let rows = (0..<2000).map { place in
            (place: place, count: Int64(random.next() % 5), name: random.next() % 40)
        }
        let found = rows.mostFirst(limit, \.count, then: { $0.name < $1.name })
        let wanted = rows.sorted { ($1.count, $0.name, $0.place) < ($0.count, $1.name, $1.place) }.prefix(limit)
        #expect(found.map(\.place) == wanted.map(\.place))
    }
}
