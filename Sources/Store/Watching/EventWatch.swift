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
        /// What is kept of each event of the items, besides its place; `nil` if only sums are kept.
        package var kept: [GroupKey]?
        package var items: [Item]

        package init(predicate: Predicate, keeping kept: [GroupKey]? = nil, items: [Item]) {
            (self.predicate, self.kept, self.items) = (predicate, kept, items)
        }

        /// The times that its events may have. Those of damaged entries may be negative.
        var times: ClosedRange<Int64> {
            guard let times = predicate.bounds?.times else { return .min ... -1 }
            return
                (times.lowerBound == 0 ? .min : Int64(clamping: times.lowerBound))...Int64(clamping: times.upperBound)
        }
    }

    package let groups: [Group]
    /// The times that events of any group may have: blocks of other times are not read.
    let times: ClosedRange<Int64>
    /// Compiled once, because regular expressions take long. It is used by one reader at a time.
    private let compiled: Exclusive<CompiledWatch>

    /// - Throws: `.invalidPattern` for a regular expression that is none.
    package init(_ groups: [Group]) throws(StoreError) {
        self.groups = groups
        let times = groups.map(\.times)
        self.times = (times.map(\.lowerBound).min() ?? .min)...(times.map(\.upperBound).max() ?? .max)
        compiled = Exclusive(try CompiledWatch(groups))
    }

    /// Counts events of a block.
    /// - Parameters:
    ///   - ids: the range of ids to count.
    ///   - sums: for each group, what its items counted.
    /// - Returns: how many events were kept.
    func add(
        _ events: some EventColumns, of ids: ClosedRange<Int64>, to sums: inout [[WatchedSum]], until turn: ReadTurn
    ) throws -> Int {
        let added = try compiled.withLock { watch in try watch.sums(of: events, ids, until: turn) }
        for (group, items) in added { for (item, sum) in items { sums[group][item].add(sum) } }
        return added.reduce(0) { $1.items.reduce($0) { $0 + $1.sum.events.count } }
    }

    /// A read ends when so many events are kept.
    static let mostKept = 20_000

    /// Sums in which nothing is counted.
    var empty: [[WatchedSum]] { groups.map { Array(repeating: WatchedSum(), count: $0.items.count) } }
}

/// What was counted of the events of an item.
package struct WatchedSum: Sendable, Hashable {
    package var count: Int64 = 0
    /// How many of them violate their definitions.
    package var violating: Int64 = 0
    /// The event that was sent first, and the last one.
    package var first: EventPlace?
    package var last: EventPlace?
    /// The events, if something of them is kept, in the order of their ids. One that has several values for a key is there for
    /// each of them.
    package var events: [WatchedEvent] = []

    package init() {}

    package mutating func add(_ other: WatchedSum) {
        count += other.count
        violating += other.violating
        if let place = other.first { first = min(first ?? place, place) }
        if let place = other.last { last = max(last ?? place, place) }
        events += other.events
    }
}

/// What is kept of an event that was counted.
package struct WatchedEvent: Sendable, Hashable {
    package var place: EventPlace
    /// What it has for each key; `nil` where it has nothing.
    package var values: [ExactString?]

    package init(place: EventPlace, values: [ExactString?]) { (self.place, self.values) = (place, values) }
}
