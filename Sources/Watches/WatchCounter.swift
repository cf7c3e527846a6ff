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

    /// How often it may be called at a time: what is far behind must not keep the rest waiting.
    static let mostReads = 50

    /// Counts as much as one read takes, for those that are nearest to the present: what goes through stored events must not
    /// delay what comes.
    /// - Parameters:
    ///   - behind: the positions of those that are not at `newest` yet.
    ///   - groups: returns what a watch counts.
    /// - Returns: `nil` if none is behind.
    func next(
        _ behind: [ExactString: Int64], through newest: Int64, isolation: isolated (any Actor)? = #isolation,
        groups: (ExactString) throws(PredicateFault) -> [EventWatch.Group]
    ) async throws(StoreError) -> Counted? {
        guard let after = behind.values.max() else { return nil }
        let together = behind.filter { $0.value == after }.keys.sorted()
        var counted = Counted(after: after, position: after)
        do throws(Unusable) {
            return try await count(together, after, newest, isolation: isolation, groups)
        } catch {
            if let passing = error.passing { throw passing }
            guard together.count > 1 else {
                counted.faults = [(together[0], error.reason)]
                return counted
            }
            // Which of them it is shows when each is counted alone.
            var first: Counted?
            for name in together {
                do throws(Unusable) {
                    let alone = try await count([name], after, newest, isolation: isolation, groups)
                    first = first ?? alone
                } catch {
                    if let passing = error.passing { throw passing }
                    counted.faults.append((name, error.reason))
                }
            }
            // Only together do they take too long: one after the other goes on by itself.
            if counted.faults.isEmpty, let first { return first }
        }
        return counted
    }

    /// Why nothing was counted.
    private enum Unusable: Error {
        case fault(PredicateFault)
        case store(StoreError)

        /// An error that may be over at the next time. Others must not wait for what stays so.
        var passing: StoreError? {
            guard case .store(let error) = self, error.kind != .invalidPattern, error.kind != .corrupt else {
                return nil
            }
            return error
        }

        var reason: String {
            switch self {
            case .fault(let fault): fault.reason
            case .store(let error): error.description
            }
        }
    }

    private func count(
        _ names: [ExactString], _ after: Int64, _ last: Int64, isolation: isolated (any Actor)?,
        _ groups: (ExactString) throws(PredicateFault) -> [EventWatch.Group]
    ) async throws(Unusable) -> Counted {
        let watch = try compile(names, groups)
        let sums: [[WatchedSum]]
        let position: Int64
        do throws(StoreError) {
            (sums, position) = try await store.count(watch.watch, after: after, through: last)
        } catch {
            throw .store(error)
        }
        var (counted, place) = (Counted(after: after, position: position), 0)
        for (name, count) in zip(names, watch.groups) {
            counted.sums.append((name, sums[place..<place + count]))
            place += count
        }
        return counted
    }

    private func compile(
        _ names: [ExactString], _ groups: (ExactString) throws(PredicateFault) -> [EventWatch.Group]
    ) throws(Unusable) -> Compiled {
        if let known = compiled[names] { return known }
        var own: [[EventWatch.Group]] = []
        for name in names {
            do throws(PredicateFault) { own.append(try groups(name)) } catch { throw .fault(error) }
        }
        let watch: EventWatch
        do throws(StoreError) { watch = try EventWatch(own.flatMap(\.self)) } catch { throw .store(error) }
        let new = Compiled(watch: watch, groups: own.map(\.count))
        if compiled.count >= 8 { compiled = [:] }
        compiled[names] = new
        return new
    }
}
