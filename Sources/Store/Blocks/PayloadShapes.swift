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
        let (codes, kinds) = (codes.unpacked, kinds.unpacked)
        var (recent, numbers) = (RecentTemplates(), [Int32](repeating: Self.whole, count: codes.count))
        for event in codes.indices {
            guard let template = try recent.template(of: codes[event], kind: Int(kinds[event]), templates: count) else {
                continue
            }
            numbers[event] = Int32(template)
        }
        var uses = [Int](repeating: 0, count: count)
        wholeCount = Self.addUses(numbers[...], to: &uses)
        var counts = [Int](repeating: 0, count: paths.count)
        for template in 0..<count {
            for hole in templates.holes[templates.holes(of: template)] { counts[hole.path] += uses[template] }
        }
        self.numbers = numbers
        self.counts = counts
    }

    /// The approximate number of bytes in memory.
    var memory: Int {
        numbers.count * 4 + templates.text.count + templates.holes.count * 24 + paths.count * 64 + counts.count
            * 8
    }

    /// The results of `template` for all events in order.
    var templateOfEvent: some Collection<Int?> { numbers.lazy.map { $0 == Self.whole ? nil : Int($0) } }

    /// - Returns: `nil` for a payload that is kept whole.
    @inline(__always)
    func template(of event: Int) -> Int? {
        let number = numbers[event]
        return number == Self.whole ? nil : Int(number)
    }

    func events(ofPath path: Int) -> Int { counts[path] }

    /// Adds the number of events with each template to `uses`.
    /// - Returns: the number of events without a template.
    func addUses(by events: Range<Int>, to uses: inout [Int]) -> Int { Self.addUses(numbers[events], to: &uses) }

    private static func addUses(_ numbers: ArraySlice<Int32>, to uses: inout [Int]) -> Int {
        var wholeCount = 0
        for number in numbers {
            if number == whole { wholeCount += 1 } else { uses[Int(number)] += 1 }
        }
        return wholeCount
    }

    /// Returns the paths that the payloads of these events have values of.
    func paths(of events: [Int]) -> Set<Int> {
        let used = Set(events.compactMap { template(of: $0) })
        return Set(used.flatMap { templates.holes[templates.holes(of: $0)].map(\.path) })
    }
}
