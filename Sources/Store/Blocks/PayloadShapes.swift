/// The paths and templates of a block's payloads, and the template of each payload.
struct PayloadShapes: Sendable {
    let paths: PayloadPaths
    let templates: PayloadTemplates
    /// The template of each event.
    private let numbers: [Int32]
    /// The number that marks a payload that is kept whole.
    private static let whole: Int32 = -1
    /// The number of payloads that have no template.
    let wholeCount: Int
    /// The number of values of each path.
    private let counts: [Int]

    /// - Parameters:
    ///   - codes: the code of each payload's template, see `RecentTemplates`.
    ///   - kinds: the number of each event's kind.
    init(
        _ input: inout ByteReader, templates count: Int, codes: PackedIntegers, kinds: PackedIntegers
    ) throws(BlockDamage) {
        paths = try PayloadPaths(&input, atMost: PayloadSplitter.capacity.paths)
        templates = try PayloadTemplates(&input, count: count, paths: paths.count)
        guard kinds.isWithin(0..<Int64(BlockPacker.capacity)) else {
            throw BlockDamage("a kind without a row in its table")
        }
        var uses = [Int](repeating: 0, count: count)
        let numbers = try Self.numbers(codes, kinds, &uses)
        wholeCount = codes.count - uses.reduce(0, +)
        var counts = [Int](repeating: 0, count: paths.count)
        for template in 0..<count {
            for hole in templates.holes[templates.holes(of: template)] { counts[hole.path] += uses[template] }
        }
        self.numbers = numbers
        self.counts = counts
    }

    /// Returns the template of each event.
    /// - Parameter uses: gets the number of events of each template.
    private static func numbers(
        _ codes: PackedIntegers, _ kinds: PackedIntegers, _ uses: inout [Int]
    ) throws(BlockDamage) -> [Int32] {
        var (recent, numbers) = (RecentTemplates(), [Int32](repeating: whole, count: codes.count))
        try numbers.withUnsafeMutableBufferPointer { numbers throws(BlockDamage) in
            // Where another kind follows, and another template than the latest of its kind.
            var (start, kindEnd, latestEnd) = (0, 0, 0)
            while start < numbers.count {
                // Mostly, an event has the kind and the template of the one before.
                let kind = kinds[start]
                let template = try recent.template(of: codes[start], kind: Int(kind), templates: uses.count)
                guard let template else {
                    start += 1
                    continue
                }
                if kindEnd <= start { kindEnd = kinds.endOfRun(of: kind, from: start + 1) }
                if latestEnd <= start { latestEnd = codes.endOfRun(of: 0, from: start + 1) }
                let end = min(kindEnd, latestEnd)
                numbers.extracting(start..<end).update(repeating: Int32(truncatingIfNeeded: template))
                uses[template] += end - start
                start = end
            }
        }
        return numbers
    }

    /// The approximate number of bytes in memory.
    var memory: Int {
        numbers.count * 4 + templates.text.count + templates.holes.count * 24 + paths.count * 64 + counts.count
            * 8
    }

    /// Calls `body` with each event whose payload has a template, in order, and with the template.
    @inline(__always)
    func forEachTemplate(_ body: (_ event: Int, _ template: Int) -> Void) {
        numbers.withUnsafeBufferPointer { numbers in
            for event in numbers.indices where numbers[event] != Self.whole { body(event, Int(numbers[event])) }
        }
    }

    /// Calls `body` with each event that has a value of a path, in order, with the index of the hole in its template, and with
    /// the number of the value.
    @inline(__always)
    func forEachValue(ofPath path: Int, _ body: (_ event: Int, _ hole: Int, _ value: Int) -> Void) {
        let holes = templates.holes(ofPath: path)
        var value = 0
        forEachTemplate { event, template in
            guard let hole = holes[template] else { return }
            body(event, hole, value)
            value += 1
        }
    }

    /// - Returns: `nil` for a payload that is kept whole.
    @inline(__always)
    func template(of event: Int) -> Int? {
        let number = numbers[event]
        return number == Self.whole ? nil : Int(number)
    }

    func events(ofPath path: Int) -> Int { counts[path] }

    /// Adds the number of events with each template to `uses`.
    /// - Returns: the number of events without a template.
    func addUses(by events: Range<Int>, to uses: inout [Int]) -> Int {
        var (wholeCount, start) = (0, events.lowerBound)
        while start < events.upperBound {
            // Equal ones are counted together: one after the other, each addition would wait for the previous one.
            let (number, end) = (numbers[start], endOfRun(from: start, before: events.upperBound))
            if number == Self.whole { wholeCount += end - start } else { uses[Int(number)] += end - start }
            start = end
        }
        return wholeCount
    }

    /// Returns where another template than that of an event follows.
    private func endOfRun(from start: Int, before limit: Int) -> Int {
        let number = numbers[start]
        return numbers.withUnsafeBytes { bytes in
            let (size, pair) = (MemoryLayout<Int32>.size, UInt64(UInt32(bitPattern: number)) &* 0x1_0000_0001)
            var end = start + 1
            while end + 4 <= limit, bytes.loadUnaligned(fromByteOffset: end * size, as: UInt64.self) == pair,
                bytes.loadUnaligned(fromByteOffset: (end + 2) * size, as: UInt64.self) == pair
            {
                end += 4
            }
            while end < limit, numbers[end] == number { end += 1 }
            return end
        }
    }

    /// Returns the paths that the payloads of these events have values of, each once.
    func paths(of events: [Int]) -> [Int] {
        var (templatesSeen, isUsed) = (EventMarks(of: templates.count), [Bool](repeating: false, count: paths.count))
        for event in events {
            guard let number = template(of: event), !templatesSeen[number] else { continue }
            templatesSeen.mark(number)
            for index in templates.holes(of: number) { isUsed[templates.holes[index].path] = true }
        }
        return isUsed.indices.filter { isUsed[$0] }
    }
}
