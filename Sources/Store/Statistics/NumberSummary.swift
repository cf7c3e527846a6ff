internal import Glibc

/// What is known of many numbers: exactly how many they are, their sum, the least and the largest; and their percentiles, exactly for
/// few numbers and else within one percent.
package struct NumberSummary: Sendable, Hashable {
    package private(set) var count: Int64 = 0
    private var total = 0.0
    /// What rounding took from the total.
    private var lost = 0.0
    package private(set) var least = Double.infinity
    package private(set) var largest = -Double.infinity
    private var numbers: [Double] = []
    /// How many numbers are in each range, by the number of the range; the ranges grow with the numbers.
    /// - Source: DDSketch (Masson, Rim, Lee: "A fast and fully-mergeable quantile sketch with relative-error guarantees", 2019)
    private var ranges: [Int32: Int64] = [:]
    private var areWhole = true

    private static let mostNumbers = 512
    private static let mostRanges = 2048
    private static let growth = 1.02
    private static let logOfGrowth = log(growth)

    /// The sum, in whichever order the numbers were added.
    /// - Source: Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen" (1974)
    package var sum: Double { lost.isFinite ? total + lost : total }
    package var average: Double? { count > 0 ? sum / Double(count) : nil }

    /// A number, and its range, which takes longest to find out.
    struct Number: Sendable {
        let value: Double
        fileprivate let range: Int32

        init(_ value: Double) { (self.value, range) = (value, NumberSummary.range(of: value)) }
    }

    mutating func add(_ number: Number) {
        count += 1
        let next = total + number.value
        lost += abs(total) >= abs(number.value) ? total - next + number.value : number.value - next + total
        total = next
        (least, largest) = (min(least, number.value), max(largest, number.value))
        areWhole = areWhole && number.value == number.value.rounded()
        if ranges.isEmpty, numbers.count < Self.mostNumbers { return numbers.append(number.value) }
        if !numbers.isEmpty {
            for number in numbers { ranges[Self.range(of: number), default: 0] += 1 }
            numbers = []
        }
        ranges[number.range, default: 0] += 1
        if ranges.count > Self.mostRanges { mergeSmallest() }
    }

    /// Negative numbers have negative ranges; 0 has its own.
    fileprivate static func range(of number: Double) -> Int32 {
        guard number != 0 else { return 0 }
        let exponent = Int32((log(abs(number)) / logOfGrowth).rounded(.up)) + offset
        return number < 0 ? -exponent : exponent
    }

    /// Makes the numbers of all ranges positive. The least positive number is about 2^-1074.
    private static let offset: Int32 = 40_000

    /// Returns a number in the middle of a range.
    private func likely(_ range: Int32) -> Double {
        guard range != 0 else { return 0 }
        let size = exp(Double(abs(range) - Self.offset) * Self.logOfGrowth + log(2 / (1 + Self.growth)))
        // The range of a small number has room for one whole number.
        let likely = areWhole && size * (Self.growth - 1) < 0.9 ? size.rounded() : size
        return min(max(range < 0 ? -likely : likely, least), largest)
    }

    /// Of numbers of very different sizes, those in the ranges nearest to zero count as zero.
    private mutating func mergeSmallest() {
        let smallest = ranges.keys.sorted { abs($0) < abs($1) }.prefix(Self.mostRanges / 2)
        let sum = smallest.reduce(0) { $0 + (ranges.removeValue(forKey: $1) ?? 0) }
        ranges[0, default: 0] += sum
    }

    /// Returns the number that a share of the numbers does not exceed.
    /// - Parameter share: 0.5 for the median.
    /// - Returns: `nil` if there are none.
    package func percentile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var left = max(1, Int64((Double(count) * share).rounded(.up)))
        if ranges.isEmpty { return numbers.sorted()[Int(left) - 1] }
        for (range, count) in ranges.sorted(by: { $0.key < $1.key }) {
            left -= count
            if left <= 0 { return likely(range) }
        }
        return largest
    }

    /// Returns how many numbers are in ranges with round bounds, which have the same length; or, where the largest number is
    /// many times the least, the lengths 1, 2, 5, 10 and so on.
    /// - Parameter most: the most ranges, of which there are two if 0 is between the numbers.
    /// - Returns: none if there is nothing to compare.
    package func histogram(atMost most: Int) -> [NumberRange] {
        guard most > 0, least < largest else { return [] }
        let all =
            ranges.isEmpty
            ? numbers.map { (number: $0, count: Int64(1)) } : ranges.map { (number: likely($0.key), count: $0.value) }
        let numbers = all.map(\.number)
        // Those of the smallest ranges count as 0, which may be outside.
        let bounds = RoundBounds.of(
            numbers, from: min(least, numbers.min() ?? least), to: max(largest, numbers.max() ?? largest), atMost: most)
        var counts = [Int64](repeating: 0, count: max(0, bounds.count - 1))
        for (number, count) in all {
            guard let next = bounds.firstIndex(where: { $0 > number }), next > 0 else { return [] }
            counts[next - 1] += count
        }
        return counts.indices.map { NumberRange(from: bounds[$0], to: bounds[$0 + 1], count: counts[$0]) }
    }
}

/// How many numbers are from a bound up to another, without that.
package struct NumberRange: Sendable, Hashable {
    package var from: Double
    package var to: Double
    package var count: Int64
}

/// Bounds that people like to read, such as 0, 20, 40, or 10, 20, 50, 100.
enum RoundBounds {
    /// From how many times the least number the largest one is, lengths grow.
    private static let growing = 50.0

    /// Returns ascending bounds, of which the first is not above `least` and the last is above `largest`; none if the numbers are too
    /// close to each other for their size.
    static func of(_ numbers: [Double], from least: Double, to largest: Double, atMost most: Int) -> [Double] {
        let positive = numbers.lazy.filter { $0 > 0 }.min() ?? 0
        if least >= 0, positive > 0, largest / positive >= growing {
            let grown = growing(from: positive, to: largest)
            let kept = grown.suffix(most)
            // What is below the first bound is one range.
            return kept.count == grown.count && least > 0 ? Array(kept) : [0] + kept
        }
        return even(from: least, to: largest, atMost: most)
    }

    private static func growing(from least: Double, to largest: Double) -> [Double] {
        // The logarithm of a number just below a power of ten may be that of the power.
        var place = 3 * Int(log10(least).rounded(.down)) - 3
        var bounds: [Double] = []
        while bounds.last ?? 0 <= largest {
            let (factor, exponent) = ([1.0, 2, 5][((place % 3) + 3) % 3], (Double(place) / 3).rounded(.down))
            let bound = scaled(factor, Int(exponent))
            guard bound.isFinite else { return bounds + [.greatestFiniteMagnitude] }
            if bound <= least { bounds = [bound] } else { bounds.append(bound) }
            place += 1
        }
        return bounds
    }

    private static func even(from least: Double, to largest: Double, atMost most: Int) -> [Double] {
        let wanted = (largest - least) / Double(most)
        guard wanted.isFinite, wanted > 0 else { return [] }
        let exponent = Int(log10(wanted).rounded(.down))
        for (factor, exponent) in [(1.0, exponent), (2, exponent), (5, exponent), (1, exponent + 1), (2, exponent + 1)]
        {
            let length = scaled(factor, exponent)
            var (first, last) = ((least / length).rounded(.down), (largest / length).rounded(.down) + 1)
            guard length > 0, abs(first) < 0x1p50, abs(last) < 0x1p50 else { return [] }
            // Divisions round.
            if scaled(first * factor, exponent) > least { first -= 1 }
            if scaled(last * factor, exponent) <= largest { last += 1 }
            if last - first <= Double(max(most, 2)) {
                let bounds = (0...Int(last - first)).map { scaled((first + Double($0)) * factor, exponent) }
                // The outermost may be too large for a double.
                return bounds.map { min(max($0, -.greatestFiniteMagnitude), .greatestFiniteMagnitude) }
            }
        }
        return []
    }

    /// Returns `number` times a power of ten, without the error of powers below 1.
    private static func scaled(_ number: Double, _ exponent: Int) -> Double {
        exponent < 0 ? number / pow(10, Double(-exponent)) : number * pow(10, Double(exponent))
    }
}

/// How many distinct values there are: exactly for few, else an estimate.
/// - Source: Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog" (2007)
struct DistinctCount: Sendable {
    private var hashes: Set<UInt64> = []
    private var registers: [UInt8] = []

    private static let mostHashes = 1024
    private static let bits = 12

    /// - Parameter hash: with a random seed, so that senders cannot choose values that make the estimate wrong.
    mutating func add(_ hash: UInt64) {
        if !registers.isEmpty { return register(hash) }
        hashes.insert(hash)
        guard hashes.count > Self.mostHashes else { return }
        registers = [UInt8](repeating: 0, count: 1 << Self.bits)
        for hash in hashes { register(hash) }
        hashes = []
    }

    private mutating func register(_ hash: UInt64) {
        let place = Int(hash >> UInt64(64 - Self.bits))
        let rank = UInt8(min(64 - Self.bits, (hash << UInt64(Self.bits)).leadingZeroBitCount) + 1)
        registers[place] = max(registers[place], rank)
    }

    var count: Int {
        guard !registers.isEmpty else { return hashes.count }
        let size = Double(registers.count)
        let sum = registers.reduce(0.0) { $0 + pow(2, -Double($1)) }
        let estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum
        let zeros = registers.count { $0 == 0 }
        // Linear counting is better for numbers that leave registers empty.
        return Int((estimate <= 2.5 * size && zeros > 0 ? size * log(size / Double(zeros)) : estimate).rounded())
    }
}
