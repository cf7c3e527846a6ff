internal import Model
internal import Store

/// Counts stored events for several watches, those at the same position together. It belongs to one actor.
final class WatchCounter {
    private let store: EventStore
    /// What was compiled, by the names of those that are counted together.
    private var compiled: [[ExactString]: Compiled] = [:]

    private struct Compiled {
        var watch: EventWatch
        /// How many groups each has.
        var groups: [Int]
    }

    init(_ store: EventStore) { self.store = store }

    /// Forgets what was compiled: a watch has changed.
    func forget() { compiled = [:] }

    /// What was counted in one read.
    struct Counted {
        /// The sums of each watch's groups.
        var sums: [(name: ExactString, groups: ArraySlice<[WatchedSum]>)] = []
        /// The position from which was counted, and the last event.
        var after: Int64 = 0
        var position: Int64 = 0
        /// Watches that cannot be counted, and why.
        var faults: [(name: ExactString, reason: String)] = []
    }

    /// Counts, for those that are furthest behind, as much as one read takes.
    /// - Parameters:
    ///   - behind: the positions of those that are not at `newest` yet.
    ///   - groups: returns what a watch counts.
    /// - Returns: `nil` if none is behind.
    func next(
        _ behind: [ExactString: Int64], through newest: Int64, isolation: isolated (any Actor)? = #isolation,
        groups: (ExactString) -> [EventWatch.Group]
    ) async throws(StoreError) -> Counted? {
        guard let after = behind.values.min() else { return nil }
        let together = behind.filter { $0.value == after }.keys.sorted()
        // Until where the next ones are, which are then counted with them.
        let last = behind.values.filter { $0 > after }.min() ?? newest
        do throws(StoreError) {
            return try await count(together, after, last, isolation: isolation, groups)
        } catch  where error.kind == .invalidPattern {
            var counted = Counted(after: after, position: after)
            guard together.count > 1 else {
                counted.faults = [(together[0], error.description)]
                return counted
            }
            // Which of them it is shows when each is counted alone.
            for name in together {
                do throws(StoreError) {
                    _ = try await count([name], after, last, isolation: isolation, groups)
                } catch  where error.kind == .invalidPattern {
                    counted.faults.append((name, error.description))
                }
            }
            return counted
        }
    }

    private func count(
        _ names: [ExactString], _ after: Int64, _ last: Int64, isolation: isolated (any Actor)?,
        _ groups: (ExactString) -> [EventWatch.Group]
    ) async throws(StoreError) -> Counted {
        let watch = try compile(names, groups)
        let (sums, position) = try await store.count(watch.watch, after: after, through: last)
        var (counted, place) = (Counted(after: after, position: position), 0)
        for (name, count) in zip(names, watch.groups) {
            counted.sums.append((name, sums[place..<place + count]))
            place += count
        }
        return counted
    }

    private func compile(
        _ names: [ExactString], _ groups: (ExactString) -> [EventWatch.Group]
    ) throws(StoreError) -> Compiled {
        if let known = compiled[names] { return known }
        let own = names.map(groups)
        let new = Compiled(watch: try EventWatch(own.flatMap(\.self)), groups: own.map(\.count))
        if compiled.count >= 8 { compiled = [:] }
        compiled[names] = new
        return new
    }
}
