internal import API
internal import Model
internal import Predicates
internal import Settings
internal import Store

/// A run of a checklist: what it counts, and what it has counted.
struct ChecklistRun: Sendable {
    /// What was counted.
    struct Counts: Sendable, Hashable, Codable {
        struct Item: Sendable, Hashable, Codable {
            var count: Int64 = 0
            var violating: Int64 = 0
            var first: EventPlace?
            var last: EventPlace?
            /// The first one that does not violate its definition; kept if violating events are refused.
            var firstAccepted: EventPlace?
        }

        var items: [Item]
        var funnels: [FunnelProgress]
        var stoppedAt: UInt64?
        /// Whether it was stopped, and what is read from now on does not count any more.
        private(set) var isClosed = false

        /// Counts nothing from now on, so that nobody has to be known any more.
        mutating func close() {
            isClosed = true
            for place in funnels.indices { funnels[place].forgetSubjects() }
        }
    }

    let start: ChecklistStart
    let list: Checklist
    var counts: Counts
    /// The id of the last event that was looked at.
    var position: Int64
    /// Why nothing can be counted.
    var fault: String?
    /// The number of its last change, of all changes.
    var revision: Int64 = 0
    var isSaved = false
    /// Whether what is saved of it has values that must not be kept any more.
    var replacesValues = false

    var name: String { start.name }
    var isRunning: Bool { counts.stoppedAt == nil }
    /// How long after its end a run counts what was sent before, in microseconds: entries may be read late.
    private static let lateness: UInt64 = 86_400_000_000

    /// Whether events may still count. A run that is held goes through them when it has a meaning again, however late that is.
    var isCounting: Bool { !counts.isClosed }

    /// Whether it has looked at all that was read in time after its end.
    /// - Parameters:
    ///   - newest: the newest event that was read before.
    ///   - now: in microseconds since 1970.
    func isOver(newest: Int64, now: UInt64) -> Bool {
        guard let stopped = counts.stoppedAt, fault == nil, position >= newest else { return false }
        return now >= stopped && now - stopped >= Self.lateness
    }

    var state: ChecklistReply.State { isRunning ? fault == nil ? .running : .held : .stopped }

    /// - Throws: `SettingsError` for a list that has errors.
    init(_ start: ChecklistStart, position: Int64) throws(SettingsError) {
        self.start = start
        list = try Checklist(start.text, ChecklistFormat(rawValue: start.format) ?? .yaml, file: start.file)
        counts = Counts(
            items: Array(repeating: Counts.Item(), count: list.items.count),
            funnels: list.funnels.map { FunnelProgress(steps: $0.steps.count) })
        self.position = position
    }

    /// The predicate that says which events it is about, of the list and of the run.
    var predicate: String? {
        let parts = [list.predicate, start.condition].compactMap(\.self)
        let whole = parts.count > 1 ? parts.map { "(\($0))" }.joined(separator: " and ") : parts.first
        return whole.map(expanded)
    }

    /// A predicate with what names stand for. One that cannot be had stays, and is found wrong when it gets a meaning.
    func expanded(_ predicate: String) -> String {
        (try? NamedPredicates(start.predicates).expanded(predicate)) ?? predicate
    }

    /// Which events a predicate selects for who started the run: values may be stored as hashes since then.
    func meaning(of predicate: String, _ meanings: StandingPredicates) throws(PredicateFault) -> Predicate {
        let text: String
        do throws(PredicateError) {
            text = try NamedPredicates(start.predicates).expanded(predicate, keepsOthers: false)
        } catch {
            throw PredicateFault(error)
        }
        return try meanings.predicate(text, mayReadJournal: start.mayReadJournal ?? false)
    }

    // MARK: counting

    /// Which events it is about.
    /// - Throws: why its predicate has no meaning.
    func whole(_ meanings: StandingPredicates) throws(PredicateFault) -> Predicate {
        let (begin, end) = (Int64(clamping: start.since), Int64(clamping: counts.stoppedAt ?? .max))
        // It may have been stopped after the clock was set back.
        let whole = Predicate.number(.time, min(begin, end)...end)
        return try predicate.map { text throws(PredicateFault) in whole.and(try meaning(of: text, meanings)) } ?? whole
    }

    /// Finds the first predicate of its list that has no meaning.
    /// - Returns: the error of the file, and whether it is none for who may read the journal; `nil` if all have one.
    func fault(_ meanings: StandingPredicates) -> (error: SettingsError.Problem, isRefusal: Bool)? {
        let items = zip(list.items, list.itemLines).map { ("item \($0.name)", $0.predicate, $1) }
        for (place, predicate, line) in [("predicate", list.predicate, list.predicateLine)] + items {
            guard let predicate else { continue }
            do throws(PredicateFault) {
                _ = try meaning(of: predicate, meanings)
            } catch {
                let message = "\(place): \(error.text)"
                return (.init(file: start.file, line: line, message: message), error.isRefusal)
            }
        }
        return nil
    }

    /// What it watches for: its items, again without violating events if these are refused, and then each of its funnels.
    /// - Throws: why something of it cannot be watched.
    func groups(_ meanings: StandingPredicates) throws(PredicateFault) -> [EventWatch.Group] {
        let whole = try whole(meanings)
        let items = try list.items.map { item throws(PredicateFault) in
            let predicate = try item.predicate.map { text throws(PredicateFault) in
                try meaning(of: text, meanings)
            }
            return EventWatch.Item(event: item.event, predicate: predicate ?? .everything)
        }
        var accepted = whole
        if list.whenViolating == .refuse {
            accepted = whole.and(.not(.text(.resolution, .among([ExactString(Resolution.violating.rawValue)]))))
        }
        let names = meanings.names
        let funnels = try list.funnels.map { funnel throws(PredicateFault) in
            EventWatch.Group(
                predicate: accepted, keeping: try StandingPredicates.groupKeys([funnel.by], names),
                items: funnel.steps.map { items[$0] })
        }
        let all = EventWatch.Group(predicate: whole, items: items)
        return (accepted == whole ? [all] : [all, EventWatch.Group(predicate: accepted, items: items)]) + funnels
    }

    /// Replaces values that must not be kept any more.
    /// - Returns: whether there were any.
    mutating func protect(_ meanings: StandingPredicates) -> Bool {
        var hasChanged = false
        for (place, funnel) in list.funnels.enumerated() {
            let (key, protection) = (ExactString(funnel.by), protection(of: funnel, meanings))
            guard !protection.isEmpty else { continue }
            let hasReplaced = counts.funnels[place].replaceSubjects(within: funnel.withinMicroseconds) {
                protection.value($0, of: key) ?? $0
            }
            hasChanged = hasChanged || hasReplaced
        }
        return hasChanged
    }

    private func protection(of funnel: Checklist.Funnel, _ meanings: StandingPredicates) -> ValueProtection {
        meanings.protection(of: [ExactString(funnel.by)], in: predicate)
    }

    /// About what is kept of the subjects of its funnels.
    var bytes: Int { counts.funnels.reduce(0) { $0 + $1.bytes } }

    /// Adds what was counted of `groups`.
    /// - Parameter mostBytes: the most that is kept of subjects.
    /// - Returns: whether anything was.
    mutating func add(
        _ sums: some Collection<[WatchedSum]>, _ meanings: StandingPredicates, mostBytes: Int
    ) -> Bool {
        var sums = Array(sums)[...]
        var hasChanged = false
        for (place, sum) in (sums.popFirst() ?? []).enumerated() where sum.count > 0 {
            counts.items[place].add(sum)
            hasChanged = true
        }
        if list.whenViolating == .refuse {
            for (place, sum) in (sums.popFirst() ?? []).enumerated() {
                guard let first = sum.first else { continue }
                let known = counts.items[place].firstAccepted
                counts.items[place].firstAccepted = min(known ?? first, first)
            }
        }
        // What is left begins at another index.
        for (place, steps) in Array(sums).enumerated() {
            let funnel = list.funnels[place]
            let (keys, protection) = ([ExactString(funnel.by)], protection(of: funnel, meanings))
            let visits = steps.enumerated().flatMap { step, sum in
                protection.events(sum.events, of: keys).compactMap { event in
                    event.values[0].map { FunnelProgress.Visit(place: event.place, step: step, subject: $0) }
                }
            }
            let others = bytes - counts.funnels[place].bytes
            counts.funnels[place].add(
                visits, within: funnel.withinMicroseconds, mostBytes: mostBytes - others)
        }
        return hasChanged
    }
}

extension Checklist.Funnel {
    /// The longest time between two steps.
    fileprivate var withinMicroseconds: Int64? { within.map { Int64(clamping: $0.wholeMicroseconds) } }
}

extension ChecklistRun.Counts.Item {
    fileprivate mutating func add(_ sum: WatchedSum) {
        count += sum.count
        violating += sum.violating
        if let place = sum.first { first = min(first ?? place, place) }
        if let place = sum.last { last = max(last ?? place, place) }
    }
}
