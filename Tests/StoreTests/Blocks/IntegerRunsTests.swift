import TestSupport
import Testing

@testable import Store

@Suite(.namesSeed) struct IntegerRunsTests {
    /// Returns numbers whose differences hardly change.
    private static func numbers(_ random: inout SeededGenerator) -> [Int64] {
        let bases: [Int64] = [0, -3, 1 << 40, .min, .max, .max - 500]
        let steps: [Int64] = [0, 0, 1, -1, 2, 63, 64, -64, -65, 1 << 20, 1 << 33, .min, .max]
        var numbers: [Int64] = []
        for _ in 0...Int.random(in: 0...6, using: &random) {
            var number = bases.randomElement(using: &random) ?? 0
            let step = steps.randomElement(using: &random) ?? 0
            for _ in 0..<Int.random(in: 1...70, using: &random) {
                numbers.append(number)
                number &+= step
            }
        }
        return numbers
    }

    private static func written(_ numbers: [Int64]) -> [UInt8] {
        var output = ByteWriter()
        for (number, last) in zip(numbers.dropFirst(), numbers) { output.append(signed: number &- last) }
        return output.bytes
    }

    private static func read(_ numbers: [Int64], _ bytes: [UInt8]) throws -> IntegerRuns? {
        try bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            let runs = try IntegerRuns.read(numbers.count, from: numbers[0], &input)
            #expect(runs == nil ? input.place == 0 : input.isAtEnd)
            return runs
        }
    }

    @Test func `runs say of their numbers what a look at each does`() throws {
        var read = 0
        for seed in FuzzBudget.seeds(300) {
            var random = SeededGenerator(seed: seed)
            let numbers = Self.numbers(&random)
            guard let runs = try Self.read(numbers, Self.written(numbers)) else { continue }
            read += 1
            #expect(runs.unpacked == numbers)
            #expect(numbers.indices.allSatisfy { runs[$0] == numbers[$0] })
            var wanted: Set<Int64> = [0, 1, .min, .max]
            for number in numbers.shuffled(using: &random).prefix(10) {
                wanted.formUnion([number, number &+ 1, number &- 1, 0 &- number])
            }
            for number in wanted {
                var places: [Int] = []
                runs.forEachPlace(of: number) { places.append($0) }
                #expect(places == numbers.indices.filter { numbers[$0] == number }, "\(number)")
                let start = Int.random(in: 0..<numbers.count, using: &random)
                let end = numbers[start...].firstIndex { $0 != number } ?? numbers.count
                #expect(runs.endOfRun(of: number, from: start) == end)
                let other = wanted.randomElement(using: &random) ?? 0
                guard number < other, other < 1 << 41, number > -(1 << 41) else { continue }
                #expect(runs.isWithin(number..<other) == numbers.allSatisfy((number..<other).contains))
            }
            for packed in [PackedIntegers(runs), PackedIntegers(runs).prepared(for: numbers.count)] {
                #expect(packed.unpacked == numbers)
                #expect(packed[numbers.count - 1] == numbers[numbers.count - 1])
            }
        }
        #expect(read > 50)
    }

    @Test func `numbers with many runs are read in another form`() throws {
        let numbers = (0..<1000).map { Int64($0 * $0) }
        #expect(try Self.read(numbers, Self.written(numbers)) == nil)
        let steady = (0..<1000).map { Int64($0 / 100) }
        #expect(try Self.read(steady, Self.written(steady))?.unpacked == steady)
    }

    @Test func `differences that are missing are an error`() throws {
        let numbers = (0..<1000).map { Int64($0 / 300) }
        for length in [0, 1, 7, 299, 300, 301, 998] {
            let bytes = Array(Self.written(numbers).prefix(length))
            #expect(throws: BlockDamage.self) { try Self.read(numbers, bytes) }
        }
    }
}
