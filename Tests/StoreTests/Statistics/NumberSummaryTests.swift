import Foundation
import TestSupport
import Testing

@testable import Store

struct NumberSummaryTests {
    @Test func `a summary of any numbers is within one percent`() {
        for seed in 1...20 {
            var random = SeededGenerator(seed: UInt64(seed))
            var (summary, numbers) = (NumberSummary(), [Double]())
            for _ in 0..<(seed % 2 == 0 ? 300 : 5000) {
                let size = pow(10, Double.random(in: seed % 3 == 0 ? -300...300 : -3...6, using: &random))
                let number = random.next() % 10 == 0 ? 0 : Bool.random(using: &random) ? size : -size
                numbers.append(number)
                summary.add(NumberSummary.Number(number))
            }
            numbers.sort()
            #expect(summary.least == numbers.first && summary.largest == numbers.last)
            for share in [0.01, 0.25, 0.5, 0.75, 0.95, 0.99, 1] where seed % 3 != 0 {
                let exact = numbers[Int((Double(numbers.count) * share).rounded(.up)) - 1]
                let found = summary.percentile(share) ?? .nan
                #expect(abs(found - exact) <= abs(exact) * 0.0101, "\(seed) \(share): \(found) \(exact)")
            }
        }
        #expect(NumberSummary().percentile(0.5) == nil && NumberSummary().average == nil)
    }

    @Test(arguments: [[1e17, 1, -1e17], [1, 1e17, -1e17], [-1e17, 1e17, 1], [1e17, -1e17, 1]])
    func `a sum does not depend on the order of its numbers`(numbers: [Double]) {
        var summary = NumberSummary()
        for number in numbers { summary.add(NumberSummary.Number(number)) }
        #expect(summary.sum == 1)
        for _ in 1...2 { summary.add(NumberSummary.Number(.greatestFiniteMagnitude)) }
        #expect(summary.sum == .infinity)
    }

    @Test func `distinct values are counted exactly, or nearly so`() {
        for count in [0, 1, 1000, 1024, 1025, 5000, 100_000] {
            var distinct = DistinctCount()
            for _ in 0..<2 { for number in 0..<count { distinct.add(ByteHash.mixed(UInt64(number) + 1)) } }
            #expect(abs(distinct.count - count) <= (count > 1024 ? count / 20 : 0), "\(count): \(distinct.count)")
        }
    }
}
