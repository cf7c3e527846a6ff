/// The syntax tree of a regular expression.
indirect enum PatternNode: Equatable {
    case scalar(ScalarSet)
    case assertion(PatternAssertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// `most` is `nil` where there is no limit.
    case repeated(PatternNode, least: Int, most: Int?)
}

/// A condition between two characters.
enum PatternAssertion: Equatable {
    case start, end, wordBoundary, noWordBoundary

    func holds(between previous: UInt32?, and next: UInt32?) -> Bool {
        switch self {
        case .start: previous == nil
        case .end: next == nil
        case .wordBoundary: Self.isWord(previous) != Self.isWord(next)
        case .noWordBoundary: Self.isWord(previous) == Self.isWord(next)
        }
    }

    private static func isWord(_ scalar: UInt32?) -> Bool { scalar.map(ScalarSet.word.contains) ?? false }
}

/// A set of Unicode scalars.
struct ScalarSet: Equatable {
    private(set) var ranges: [ClosedRange<UInt32>]
    private var isInverted = false

    init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

    static let any = ScalarSet([0...0x10FFFF])
    static let digit = ScalarSet([0x30...0x39])
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    static let space = ScalarSet([0x09...0x0D, 0x20...0x20])

    var inverted: ScalarSet {
        var set = self
        set.isInverted.toggle()
        return set
    }

    /// The set with both cases of each letter. For ranges outside of ASCII, this includes only single characters.
    var ignoringCase: ScalarSet {
        var all = ranges
        for range in ranges {
            for (letters, other) in [(0x41...0x5A, 0x20), (0x61...0x7A, -0x20)] as [(ClosedRange<UInt32>, Int)] {
                guard range.overlaps(letters) else { continue }
                let both = range.clamped(to: letters)
                all.append(UInt32(Int(both.lowerBound) + other)...UInt32(Int(both.upperBound) + other))
            }
            if range.count == 1, let scalar = Unicode.Scalar(range.lowerBound) {
                for text in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
                    guard let only = text.unicodeScalars.first, text.unicodeScalars.count == 1 else { continue }
                    all.append(only.value...only.value)
                }
            }
        }
        let set = ScalarSet(all)
        return isInverted ? set.inverted : set
    }

    /// Returns the union of both sets; neither may be inverted.
    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.effectiveRanges) }

    func contains(_ scalar: UInt32) -> Bool {
        ranges.contains { $0.contains(scalar) } != isInverted
    }

    private var effectiveRanges: [ClosedRange<UInt32>] {
        guard isInverted else { return ranges }
        var rest: [ClosedRange<UInt32>] = []
        var from: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > from { rest.append(from...range.lowerBound - 1) }
            from = max(from, range.upperBound + 1)
        }
        if from <= 0x10FFFF { rest.append(from...0x10FFFF) }
        return rest
    }
}
