import API
import Hummingbird
import Model
import Queries
import ServiceLifecycle
import Store
import Synchronization

/// A live stream: a query that goes on. It keeps nothing but its place in the store, and the feed wakes it; what it has
/// not sent yet costs no memory, however slow its client is.
struct Tail: Sendable {
    let query: EventQuery
    let source: EventSource
    /// How many events it may be behind before it passes over them.
    let maximumLag: Int
    /// How long it gathers late events before it says how many it left out.
    let lateTime: Duration
    /// Microseconds since 1970.
    let now: @Sendable () -> UInt64

    private var store: EventStore { source.store }

    /// How far the tail has got.
    private struct Place: Sendable {
        /// Everything up to this event was sent, or did not match, or was passed over.
        var event: Int64
        /// The newest gap record that was sent or was there before.
        var gap: Int64
        var late: LateEvents
    }

    /// Sends lines until the client leaves or the daemon stops. A client that closes only its sending side has left
    /// too.
    func run(into stream: LineStream, untilClosed body: RequestBody) async throws {
        try await body.consumeWithCancellationOnInboundClose { _ in
            try await follow(stream)
        }
    }

    private var isStopping: Bool { Task.isCancelled || Task.isShuttingDownGracefully }

    private func follow(_ stream: LineStream) async throws {
        var stream = stream
        do {
            var place = try await sendBacklog(to: &stream)
            while !isStopping {
                try await sendNews(from: &place, to: &stream)
                await waitForNews(at: place)
            }
            if let late = place.late.take() { stream.lines.append(late: late) }
        } catch let error as StoreError where !Task.isCancelled {
            try stream.lines.append(Problem(error))
        } catch  where Task.isCancelled {
            // The daemon stops, and the stream has its regular end; or nobody is there any more, and it does not
            // matter.
        }
        try await stream.finish()
    }

    /// Everything that is there already and was asked for, however much; then the place from which on it is live.
    private func sendBacklog(to stream: inout LineStream) async throws -> Place {
        let late = try await lateEvents()
        let latest = store.feed.latest
        // The gaps behind the newest event that are known by now are no news.
        let known = try await store.gaps(behind: latest...Int64.max)
        var place = Place(event: latest, gap: known.map(\.id).max() ?? 0, late: late)
        var pages = backlog(upTo: latest)
        while !pages.isDone && !isStopping {
            let page = try await pages.next()
            for gap in page.gaps { place.gap = max(place.gap, gap.id) }
            try await stream.write(page)
        }
        return place
    }

    /// What will be late for a tail that begins now.
    private func lateEvents() async throws -> LateEvents {
        guard !query.late else { return LateEvents() }
        let began = now()
        return LateEvents(beginning: began, newest: try await store.statistics().newestRealtimeMicroseconds)
    }

    /// What comes first: all that follows an event, or those that were sent last.
    private func backlog(upTo latest: Int64) -> EventPages {
        var backlog = query
        backlog.order = .oldest
        if let after = query.after {
            backlog.limit = after < latest ? nil : 0
            backlog.before = latest + 1
        }
        return EventPages(backlog, upTo: latest, from: source)
    }

    /// Everything from the place to the newest event, unless that is too much. The gaps are shown in either case; late events
    /// are counted, however many they are.
    private func sendNews(from place: inout Place, to stream: inout LineStream) async throws {
        // What memory it needs is free when the lines are written.
        var source = source
        repeat {
            let start = place.event
            place.late.move(to: now())
            if let missed = try await passOver(from: &place) { stream.lines.append(missed: missed) }
            let (lines, end) = try await source.lines(
                matching: place.late.inTime(query.filter), after: place.event, before: nil, order: .oldest, limit: nil)
            place.event = end.next ?? max(place.event, end.newestEventID)
            // The page has them all, usually.
            if place.event - start > lines.count {
                let late = try await count(place.late.late(query.filter), after: start, through: place.event)
                place.late.leaveOut(late, for: lateTime)
            }
            // Those behind the place itself may still grow in number until the next event comes.
            let gaps = try await store.gaps(behind: start...place.event).filter {
                $0.id > place.gap && query.filter.concerns($0.gap)
            }
            for gap in gaps { place.gap = max(place.gap, gap.id) }
            try await stream.write(lines.page(with: gaps, isAscending: true))
            if let late = place.late.takeDue() { stream.lines.append(late: late) }
        } while place.event < store.feed.latest && !isStopping
        try await stream.write()
    }

    /// Moves behind the newest event when it is too far away. Late events do not make a tail slow: they are counted where
    /// they lie.
    /// - Returns: how many events it passed over, without the late ones; `nil` when it did not.
    private func passOver(from place: inout Place) async throws -> Int64? {
        let latest = store.feed.latest
        let lag = latest - place.event
        guard lag > maximumLag else { return nil }
        let missed = lag - (try await count(place.late.late(EventFilter()), after: place.event, through: latest))
        guard missed > maximumLag else { return nil }
        place.event = latest
        return missed
    }

    /// How many events meet a filter; none meets `nil`.
    private func count(_ filter: EventFilter?, after: Int64, through last: Int64) async throws -> Int64 {
        guard let filter, after < last else { return 0 }
        return Int64(try await store.count(matching: filter, after: after, through: last))
    }

    /// Returns when there is something behind the place, when it is time to tell what was left out, and when the daemon stops.
    private func waitForNews(at place: Place) async {
        await cancelWhenGracefulShutdown { [store] in
            guard let due = place.late.due else { return await store.feed.wait(after: place.event) }
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await store.feed.wait(after: place.event) }
                group.addTask { try? await Task.sleep(until: due, clock: .continuous) }
                await group.next()
                group.cancelAll()
            }
        }
    }
}

/// Counts the open tails, or other streams of one kind. They have a limit of their own, since each is there to stay.
final class TailRegister: Sendable {
    private let limit: Int
    private let open = Mutex(0)
    private let changed: @Sendable (Int) -> Void

    /// - Parameter changed: called with each new count, in order, while the register is locked.
    init(limit: Int, changed: @escaping @Sendable (Int) -> Void) {
        self.limit = limit
        self.changed = changed
    }

    var count: Int { open.withLock { $0 } }

    /// - Returns: `nil` when there are too many tails already.
    func take() -> Place? {
        let isTaken = open.withLock { open in
            guard open < limit else { return false }
            open += 1
            changed(open)
            return true
        }
        return isTaken ? Place(register: self) : nil
    }

    private func release() {
        open.withLock { open in
            open -= 1
            changed(open)
        }
    }

    /// One tail's place, free again when nothing holds it any more: also when its response never came to be written.
    final class Place: Sendable {
        private let register: TailRegister

        fileprivate init(register: TailRegister) {
            self.register = register
        }

        deinit {
            register.release()
        }
    }
}
