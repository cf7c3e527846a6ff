/// The paths and templates of a block's payloads, and which payload has which.
struct PayloadShapes: Sendable {
    let paths: PayloadPaths
    let templates: PayloadTemplates
    /// Of each event.
    private let numbers: [Int32]
    /// For a payload that is kept whole.
    private static let whole: Int32 = -1
    /// How many payloads have no template.
    let wholeCount: Int
    /// How many values each path has.
    private let counts: [Int]

    /// - Parameters:
    ///   - codes: which template each payload has, see `RecentTemplates`.
    ///   - kinds: the number of each event's kind.
    init(
        _ input: inout ByteReader, templates count: Int, codes: PackedIntegers, kinds: PackedIntegers
    ) throws(BlockDamage) {
        paths = try PayloadPaths(&input, atMost: PayloadSplitter.capacity.paths)
        templates = try PayloadTemplates(&input, count: count, paths: paths.count)
        var recent = RecentTemplates()
        var numbers: [Int32] = []
        numbers.reserveCapacity(codes.count)
        var (uses, wholeCount) = ([Int](repeating: 0, count: count), 0)
        for event in 0..<codes.count {
            let template = try recent.template(of: codes[event], kind: Int(kinds[event]), templates: count)
            numbers.append(template.map { Int32($0) } ?? Self.whole)
            if let template { uses[template] += 1 } else { wholeCount += 1 }
        }
        var counts = [Int](repeating: 0, count: paths.count)
        for template in 0..<count {
            for hole in templates.holes[templates.holes(of: template)] { counts[hole.path] += uses[template] }
        }
        self.numbers = numbers
        self.wholeCount = wholeCount
        self.counts = counts
    }

    /// About how many bytes they take.
    var memory: Int {
        numbers.count * 4 + templates.text.count + templates.holes.count * 24 + paths.count * 64 + counts.count
            * 8
    }

    /// Of all events in turn, as `template` has it.
    var templateOfEvent: some Collection<Int?> { numbers.lazy.map { $0 == Self.whole ? nil : Int($0) } }

    /// - Returns: `nil` for a payload that is kept whole.
    @inline(__always)
    func template(of event: Int) -> Int? {
        let number = numbers[event]
        return number == Self.whole ? nil : Int(number)
    }

    func events(ofPath path: Int) -> Int { counts[path] }

    /// Those that the payloads of these events have values of.
    func paths(of events: [Int]) -> Set<Int> {
        let used = Set(events.compactMap { template(of: $0) })
        return Set(used.flatMap { templates.holes[templates.holes(of: $0)].map(\.path) })
    }
}
