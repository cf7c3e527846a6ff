internal import Model
internal import Store

/// How far the subjects of a funnel have come.
struct FunnelProgress: Sendable, Hashable, Codable {
    /// For each subject and step the event that lets most come after it, of those that came after one of the step before
    /// it, in time: the latest if there is a limit of time, otherwise the first.
    private var latest: [ExactString: [EventPlace?]] = [:]
    /// How many subjects have reached each step.
    private(set) var reached: [Int]
    /// Whether there are more subjects than are kept.
    private(set) var isCut = false
    /// About what is saved of it, and held in memory. It is not saved.
    private(set) var bytes = 0

    private enum CodingKeys: CodingKey { case latest, reached, isCut }

    static let mostSubjects = 10_000

    /// Replaces subjects that must not be kept any more. Those that then are the same go on together; how many have reached
    /// a step stays.
    /// - Parameter within: the longest time between two steps, in microseconds.
    /// - Returns: whether there were any.
    mutating func replaceSubjects(within: Int64?, _ body: (ExactString) -> ExactString) -> Bool {
        let before = latest
        latest = Dictionary(before.map { (body($0), $1) }) { one, other in
            zip(one, other).map { Self.better($0, $1, within) }
        }
        weigh()
        return latest != before
    }

    /// Returns the place that lets most come after it.
    private static func better(_ one: EventPlace?, _ other: EventPlace?, _ within: Int64?) -> EventPlace? {
        guard let one, let other else { return one ?? other }
        return within == nil ? min(one, other) : max(one, other)
    }

    /// Finds out again what is kept.
    mutating func weigh() { bytes = latest.keys.reduce(0) { $0 + bytes(of: $1) } }

    /// Forgets who has reached the steps, but not how many: nothing is added any more.
    mutating func forgetSubjects() {
        latest = [:]
        weigh()
    }

    private func bytes(of subject: ExactString) -> Int { TimePart.bytes(of: subject) + 64 + 40 * reached.count }

    init(steps: Int) { reached = Array(repeating: 0, count: steps) }

    /// Whether it can be what was saved of a funnel with as many steps.
    func isSound(steps: Int) -> Bool {
        reached.count == steps && SavedNumbers.areCounts(reached)
            && latest.values.allSatisfy { $0.count == steps && $0.allSatisfy { $0?.isOfRun ?? true } }
    }

    /// An event of a step.
    struct Visit {
        var place: EventPlace
        var step: Int
        var subject: ExactString
    }

    /// - Parameters:
    ///   - within: the longest time between two steps, in microseconds.
    ///   - mostBytes: the most that is kept. Subjects for which more would be are left out.
    mutating func add(_ visits: [Visit], within: Int64?, mostBytes: Int = .max) {
        // An event that is one of two steps cannot be both, so the later step is looked at first.
        for visit in visits.sorted(by: { ($0.place, $1.step) < ($1.place, $0.step) }) { add(visit, within, mostBytes) }
    }

    private mutating func add(_ visit: Visit, _ within: Int64?, _ mostBytes: Int) {
        var places = latest[visit.subject] ?? Array(repeating: nil, count: reached.count)
        if visit.step > 0 {
            guard let before = places[visit.step - 1], before < visit.place else { return }
            if let within, visit.place.time - before.time > within { return }
        }
        if latest[visit.subject] == nil {
            let more = bytes(of: visit.subject)
            guard latest.count < Self.mostSubjects, more <= mostBytes - bytes else {
                isCut = true
                return
            }
            bytes += more
        }
        if places[visit.step] == nil { reached[visit.step] += 1 }
        places[visit.step] = Self.better(places[visit.step], visit.place, within)
        latest[visit.subject] = places
    }
}
