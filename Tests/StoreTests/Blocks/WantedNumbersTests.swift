import TestSupport
import Testing

@testable import Store

struct WantedNumbersTests {
    @Test func `it has the numbers of its ranges`() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<2000 {
            let ranges = (0..<1 + random.next() % 6).map { _ in
                let first = Int64(random.next() % 40) - 20
                return first...first + Int64(random.next() % 5)
            }
            let all = WantedNumbers(ranges.map { WantedNumbers($0) })
            let numbers = Set(ranges.joined())
            for number in Int64(-30)...40 {
                #expect(all.contains(number) == numbers.contains(number), "\(number) in \(ranges)")
                for length in Int64(0)..<5 {
                    let some = number...number + length
                    #expect(all.contains(all: some) == some.allSatisfy(numbers.contains), "\(some) in \(ranges)")
                    #expect(all.overlaps(some) == some.contains(where: numbers.contains), "\(some) in \(ranges)")
                }
            }
        }
    }

    @Test func `it ends where numbers end`() {
        let all = WantedNumbers([WantedNumbers(5 ... .max), WantedNumbers(.min ... -5), WantedNumbers(7...9)])
        #expect(all.contains(.max) && all.contains(.min) && !all.contains(0) && all.contains(all: 5 ... .max))
        #expect(!all.contains(all: .min ... .max) && all.overlaps(-6...6) && !all.overlaps(-4...4))
    }
}
