/// The paths and templates of a block's payloads, and which payload has which.
struct PayloadShapes: Sendable {
    let paths: PayloadPaths
    let templates: PayloadTemplates
    /// Of each event; `nil` for a payload that is kept whole.
    let templateOfEvent: [Int?]
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
        var templateOfEvent: [Int?] = []
        templateOfEvent.reserveCapacity(codes.count)
        var (uses, wholeCount) = ([Int](repeating: 0, count: count), 0)
        for event in 0..<codes.count {
            let template = try recent.template(of: codes[event], kind: Int(kinds[event]), templates: count)
            templateOfEvent.append(template)
            if let template { uses[template] += 1 } else { wholeCount += 1 }
        }
        var counts = [Int](repeating: 0, count: paths.count)
        for template in 0..<count {
            for hole in templates.holes[templates.holes(of: template)] { counts[hole.path] += uses[template] }
        }
        self.templateOfEvent = templateOfEvent
        self.wholeCount = wholeCount
        self.counts = counts
    }

    /// About how many bytes they take.
    var memory: Int {
        templateOfEvent.count * 16 + templates.text.count + templates.holes.count * 24 + paths.count * 64 + counts.count
            * 8
    }

    func events(ofPath path: Int) -> Int { counts[path] }

    /// Those that the payloads of these events have values of.
    func paths(of events: [Int]) -> Set<Int> {
        let used = Set(events.compactMap { templateOfEvent[$0] })
        return Set(used.flatMap { templates.holes[templates.holes(of: $0)].map(\.path) })
    }
}
