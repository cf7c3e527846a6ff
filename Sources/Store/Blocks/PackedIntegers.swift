/// The numbers of a column as a block stores them. They are computed on demand where the form permits it.
struct PackedIntegers: Sendable {
    private enum Form: Sendable { case steps, runs, numbers, offsets }

    /// The approximate number of bytes in memory.
    var memory: Int { runs.memory + numbers.count * 8 + offsets.count + 112 }

    let count: Int
    private let form: Form
    private var first: Int64 = 0
    private var step: Int64 = 0
    private var runs = IntegerRuns.none
    private var numbers: [Int64] = []
    private var width = 8
    /// `width` bytes for each number.
    private var offsets = HeldBytes.none

    init(_ numbers: [Int64]) {
        count = numbers.count
        form = .numbers
        self.numbers = numbers
    }

    init(_ runs: IntegerRuns) {
        count = runs.count
        form = .runs
        self.runs = runs
    }

    init(_ count: Int, first: Int64, step: Int64) {
        self.count = count
        form = .steps
        self.first = first
        self.step = step
    }

    /// - Parameters:
    ///   - least: is added to each offset.
    ///   - offsets: `width` bytes for each.
    init(_ count: Int, least: Int64, width: Int, _ offsets: HeldBytes) {
        self.count = count
        form = .offsets
        first = least
        self.width = width
        self.offsets = offsets
    }

    @inline(__always)
    subscript(index: Int) -> Int64 {
        switch form {
        case .steps: return first &+ step &* Int64(index)
        case .runs: return runs[index]
        case .numbers: return numbers[index]
        case .offsets:
            let word = offsets.word(at: index * width)
            return first &+ Int64(bitPattern: word & UInt64.max >> UInt64(64 - width * 8))
        }
    }

    /// Returns the same numbers in the form that is the fastest for reading so many of them.
    func prepared(for reads: Int) -> PackedIntegers {
        isSlow(for: reads) ? PackedIntegers(runs.unpacked) : self
    }

    func isSlow(for reads: Int) -> Bool {
        // Searching for a number takes as long as computing about 16.
        form == .runs && reads >= count / 16
    }

    /// All numbers as an array, for callers that read many of them.
    var unpacked: [Int64] {
        switch form {
        case .runs: runs.unpacked
        case .numbers: numbers
        case .steps where step == 0: Array(repeating: first, count: count)
        case .steps: steady
        case .offsets:
            switch width {
            case 1: unpacked(of: UInt8.self)
            case 2: unpacked(of: UInt16.self)
            case 4: unpacked(of: UInt32.self)
            default: (0..<count).map { self[$0] }
            }
        }
    }

    /// - Parameter type: as wide as the offsets are. The processor adds to several of them at a time.
    @inline(__always)
    private func unpacked<Offset: FixedWidthInteger>(of type: Offset.Type) -> [Int64] {
        offsets.withUnsafeBytes { offsets in
            [Int64](unsafeUninitializedCapacity: count) { numbers, filled in
                for index in 0..<count {
                    let offset = offsets.loadUnaligned(fromByteOffset: index * MemoryLayout<Offset>.size, as: type)
                    numbers[index] = first &+ Int64(truncatingIfNeeded: Offset(littleEndian: offset))
                }
                filled = count
            }
        }
    }

    private var steady: [Int64] {
        var (numbers, number) = ([Int64](repeating: first, count: count), first)
        for index in numbers.indices {
            numbers[index] = number
            number &+= step
        }
        return numbers
    }

    /// Returns the place of the first of the numbers from `start` on that is not `number`.
    @inline(__always)
    func endOfRun(of number: Int64, from start: Int) -> Int {
        start < count && self[start] == number ? endOfLongRun(of: number, from: start + 1) : start
    }

    private func endOfLongRun(of number: Int64, from start: Int) -> Int {
        guard start < count else { return start }
        if form == .runs { return runs.endOfRun(of: number, from: start) }
        var end = start
        if form == .offsets, width == 1 {
            let run = UInt64(truncatingIfNeeded: number &- first) &* 0x0101_0101_0101_0101
            while end + 8 <= count {
                let different = offsets.word(at: end) ^ run
                guard different == 0 else { return end + different.trailingZeroBitCount / 8 }
                end += 8
            }
        } else if isConstant {
            return count
        }
        while end < count, self[end] == number { end += 1 }
        return end
    }

    func isWithin(_ range: Range<Int64>) -> Bool {
        switch form {
        case .numbers: numbers.isWithin(range)
        case .runs: runs.isWithin(range)
        case .steps where step == 0: range.contains(first)
        case .offsets where width <= 2:
            range.contains(first)
                && (width == 1 ? UInt64(offsets.most(of: UInt8.self)) : UInt64(offsets.most(of: UInt16.self)))
                    < UInt64(bitPattern: range.upperBound &- first)
        case .steps, .offsets: (0..<count).allSatisfy { range.contains(self[$0]) }
        }
    }

    /// Calls `body` with the places of the numbers that are `number`, ascending.
    @inline(__always)
    func forEachPlace(of number: Int64, _ body: (Int) -> Void) {
        guard form != .runs else { return runs.forEachPlace(of: number, body) }
        unpacked.withUnsafeBufferPointer { numbers in
            for place in numbers.indices where numbers[place] == number { body(place) }
        }
    }

    /// Removes the events whose numbers do not match the condition from the selection.
    @inline(__always)
    func select(_ selection: inout [Int], where condition: (Int64) -> Bool) {
        guard !isConstant else {
            if !condition(first) { selection.removeAll() }
            return
        }
        let numbers = unpacked
        selection.keep { condition(numbers[$0]) }
    }

    /// Whether all are the same, as the block stores them.
    var isConstant: Bool { form == .steps && step == 0 }
}

extension [Int64] {
    fileprivate func isWithin(_ range: Range<Int64>) -> Bool {
        var (least, most) = (Int64.max, Int64.min)
        // Without a branch for each: the processor compares several at a time.
        for number in self { (least, most) = (Swift.min(least, number), Swift.max(most, number)) }
        return isEmpty || least >= range.lowerBound && most < range.upperBound
    }
}

extension [Int] {
    /// Keeps the elements that match the condition. It is `removeAll` without a branch for each element, since the
    /// condition is hardly predictable.
    @inline(__always)
    mutating func keep(where condition: (Int) -> Bool) {
        var kept = 0
        withUnsafeMutableBufferPointer { places in
            for place in places {
                places[kept] = place
                kept += condition(place) ? 1 : 0
            }
        }
        removeLast(count - kept)
    }
}
