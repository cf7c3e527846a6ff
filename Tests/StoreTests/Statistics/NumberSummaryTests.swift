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

    private func histogram(_ numbers: [Double], atMost most: Int = 20) -> [NumberRange] {
        var summary = NumberSummary()
        for number in numbers { summary.add(.init(number)) }
        return summary.histogram(atMost: most)
    }

    @Test func `small whole numbers stay what they are, however many there are`() {
        var summary = NumberSummary()
        for number in 0..<3000 { summary.add(.init(Double(number % 30 - 10))) }
        #expect(summary.histogram(atMost: 30).map(\.count) == Array(repeating: 100, count: 30))
        #expect([0.1, 0.5, 0.9].map(summary.percentile) == [-8, 4, 16])
    }

    @Test func `a histogram has round bounds of one length`() {
        #expect(
            histogram([-0.25, 0.1, 0.3, 0.3, 0.95], atMost: 8) == [
                NumberRange(from: -0.4, to: -0.2, count: 1), NumberRange(from: -0.2, to: 0, count: 0),
                NumberRange(from: 0, to: 0.2, count: 1), NumberRange(from: 0.2, to: 0.4, count: 2),
                NumberRange(from: 0.4, to: 0.6, count: 0), NumberRange(from: 0.6, to: 0.8, count: 0),
                NumberRange(from: 0.8, to: 1, count: 1),
            ])
        #expect(histogram([10, 11, 12], atMost: 2).map(\.count) == [2, 1])
    }

    @Test(arguments: [[1e308, 1.79e308], [-1.79e308, 1]])
    func `the bounds of a histogram are doubles, too, if the numbers are nearly the largest ones`(numbers: [Double]) {
        let found = histogram(numbers)
        #expect(found.first?.count == 1 && found.last?.count == 1)
        #expect(found.allSatisfy { $0.from.isFinite && $0.to.isFinite })
    }

    @Test func `a histogram of numbers of very different sizes has ranges that grow`() {
        #expect(
            histogram([3, 4, 7, 99, 300]) == [
                NumberRange(from: 2, to: 5, count: 2), NumberRange(from: 5, to: 10, count: 1),
                NumberRange(from: 10, to: 20, count: 0), NumberRange(from: 20, to: 50, count: 0),
                NumberRange(from: 50, to: 100, count: 1), NumberRange(from: 100, to: 200, count: 0),
                NumberRange(from: 200, to: 500, count: 1),
            ])
        let cut = histogram([0, 3, 4, 7, 99, 300], atMost: 3)
        #expect(cut.map(\.from) == [0, 100, 200] && cut.map(\.count) == [5, 0, 1])
        // Those of the smallest ranges count as 0.
        let many = histogram((0..<2100).map { pow(10, Double($0) / 100) }, atMost: 100)
        #expect(many.first == NumberRange(from: 0, to: 1e10, count: 1024))
        #expect(many.reduce(0) { $0 + $1.count } == 2100)
        let negative = histogram((0..<2100).map { -pow(10, Double($0) / 100) }, atMost: 100)
        #expect(negative.last == NumberRange(from: 0, to: 1e19, count: 1024))
        #expect(negative.reduce(0) { $0 + $1.count } == 2100)
    }

    @Test func `a histogram has every number once, whatever they are`() {
        for seed in FuzzBudget.seeds(1) {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<300 {
                let sizes: [Double] = [1e-300, 1e-9, 1, 1e6, 1e15, 1e300]
                let size = sizes.randomElement(using: &random) ?? 1
                let count = [2, 30, 900].randomElement(using: &random) ?? 2
                let numbers = (0..<count).map { _ -> Double in
                    switch random.next() % 4 {
                    case 0: 0
                    case 1: size
                    case 2: Double.random(in: -1...1, using: &random) * size
                    default: Double.random(in: 0...100, using: &random) * size
                    }
                }
                let most = Int.random(in: 1...100, using: &random)
                let found = histogram(numbers, atMost: most)
                let (least, largest) = (numbers.min() ?? 0, numbers.max() ?? 0)
                guard least < largest, (largest - least).isFinite else { continue }
                #expect(
                    found.count <= max(2, most) && found.reduce(0) { $0 + $1.count } == Int64(count), "seed \(seed)")
                #expect(
                    zip(found, found.dropFirst()).allSatisfy { $0.to == $1.from && $0.from < $0.to }, "seed \(seed)")
                #expect(
                    (found.first?.from ?? .infinity) <= least && (found.last?.to ?? 0) > largest,
                    "seed \(seed)")
            }
        }
        #expect(histogram([]).isEmpty && histogram([5, 5]).isEmpty && histogram([1, 2], atMost: 0).isEmpty)
        // The quotients of bounds and lengths are not exact.
        for (least, largest) in [
            (-1.1, 1.2), (3.6, 5.8), (1.76, 1.88), (0.1, 0.145), (999.9999999999999, 1e6), (-1, 1),
        ] {
            for most in [1, 20, 100] {
                let found = histogram([least, largest], atMost: most)
                #expect(found.first?.count == (found.count == 1 ? 2 : 1) && found.last?.count == found.first?.count)
            }
        }
        #expect(histogram([1e18, 1e18 + 256], atMost: 1000).isEmpty, "bounds would not be exact")
        #expect(histogram([1, .greatestFiniteMagnitude]).reduce(0) { $0 + $1.count } <= 2)
    }
}
