package import Model

/// Events that are counted as they come, in groups whose items have a condition in common.
package final class EventWatch: Sendable {
    /// What is counted by itself.
    package struct Item: Sendable, Hashable {
        /// The key of its events; `nil` for any, also for events without one.
        package var event: EventKey?
        /// What its events meet besides.
        package var predicate: Predicate

        package init(event: EventKey?, predicate: Predicate = .everything) {
            (self.event, self.predicate) = (event, predicate)
        }
    }

    package struct Group: Sendable, Hashable {
        /// What all events of the items meet.
        package var predicate: Predicate
        /// Where events have the subject for which first times are kept; `nil` if none are kept.
        package var subject: Predicate.ParameterPath?
        package var items: [Item]

        package init(predicate: Predicate, subject: Predicate.ParameterPath? = nil, items: [Item]) {
            (self.predicate, self.subject, self.items) = (predicate, subject, items)
        }
    }

    package let groups: [Group]
    /// Compiled once, because regular expressions take long. It is used by one reader at a time.
    private let compiled: Exclusive<CompiledWatch>

    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package init(_ groups: [Group]) throws(StoreError) {
        self.groups = groups
        compiled = Exclusive(try CompiledWatch(groups))
    }

    /// Counts events of a block.
    /// - Parameters:
    ///   - ids: the range of ids to count.
    ///   - sums: for each group, what its items counted.
    func add(
        _ events: some EventColumns, of ids: ClosedRange<Int64>, to sums: inout [[WatchedSum]], until turn: ReadTurn
    ) throws {
        let added = try compiled.withLock { watch in try watch.sums(of: events, ids, until: turn) }
        for (group, items) in added { for (item, sum) in items { sums[group][item].add(sum) } }
    }

    /// Sums in which nothing is counted.
    var empty: [[WatchedSum]] { groups.map { Array(repeating: WatchedSum(), count: $0.items.count) } }
}

/// What was counted of the events of an item.
package struct WatchedSum: Sendable, Hashable, Codable {
    package var count: Int64 = 0
    /// How many of them violate their definitions.
    package var violating: Int64 = 0
    /// The event that was sent first, and the last one.
    package var first: EventPlace?
    package var last: EventPlace?
    /// The first event of each subject, up to `mostSubjects` of them.
    package var subjects: [ExactString: EventPlace] = [:]
    /// Whether there are more subjects.
    package var hasMoreSubjects = false

    package static let mostSubjects = 10_000

    package init() {}

    package mutating func add(_ other: WatchedSum) {
        count += other.count
        violating += other.violating
        if let place = other.first { first = min(first ?? place, place) }
        if let place = other.last { last = max(last ?? place, place) }
        hasMoreSubjects = hasMoreSubjects || other.hasMoreSubjects
        for (subject, place) in other.subjects { add(subject, place) }
    }

    mutating func add(_ subject: ExactString, _ place: EventPlace) {
        if let known = subjects[subject] {
            if place < known { subjects[subject] = place }
        } else if subjects.count < Self.mostSubjects {
            subjects[subject] = place
        } else {
            hasMoreSubjects = true
        }
    }
}
