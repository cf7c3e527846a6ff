import API
import Model
import Queries
import ServiceLifecycle
import Store

/// What a query asks for, by the dictionaries and named predicates of some moment.
struct QueryMeaning: Sendable {
    var predicate: Predicate
    /// Which events are marked; `nil` for none.
    var highlight: Predicate?
    /// How often these had been replaced before.
    var replacements: Int
}

/// A live stream of the events that match a query. It keeps only its position in the store, and is woken when there are
/// new events. Events that it has not sent need no memory, however slow the client is.
struct Tail: Sendable {
    let query: EventQuery
    /// What the query means at the beginning.
    let meaning: QueryMeaning
    let source: EventSource
    /// The newest event before the tail. Every later one is sent, if it was stored after the client got the head of the
    /// response.
    let latest: Int64
    /// How many events it may be behind before it skips them.
    let maximumLag: Int
    /// How long it counts late events before it reports them.
    let lateTime: Duration
    /// Microseconds since 1970.
    let now: @Sendable () -> UInt64
    /// How often dictionaries and named predicates were replaced.
    let replacements: @Sendable () -> Int
    /// Finds out what the query means now.
    let newMeaning: @Sendable () async throws -> QueryMeaning

    private var store: EventStore { source.store }

    /// The position of the tail.
    private struct Place: Sendable {
        /// Every event up to this one was sent, did not match, or was skipped.
        var event: Int64
        /// The newest gap record that was sent or existed before the tail.
        var gap: Int64
        /// How often the store had published something before it was read last.
        var publications = 0
        var late: LateEvents
        /// What the query means from here on.
        var meaning: QueryMeaning
    }

    /// Sends lines until the client disconnects or the daemon stops.
    func run(into stream: inout LineStream) async throws {
        var place = try await sendBacklog(to: &stream)
        while !Task.isStopping {
            try await sendNews(from: &place, to: &stream)
            await waitForNews(at: place)
        }
        if let late = place.late.take() { stream.lines.append(late: late) }
    }

    /// Sends all stored events that were requested. Returns the position at which the live part begins.
    private func sendBacklog(to stream: inout LineStream) async throws -> Place {
        let began = now()
        let statistics = try await store.statistics()
        let newest = statistics.newestRealtimeMicroseconds
        let late = query.late ? LateEvents() : LateEvents(beginning: began, newest: newest)
        // Who asks for all events misses none of those that are gone already.
        var gone = query.after == 0 ? statistics.newestEventID - statistics.storedEvents : 0
        // A client may know events that were stored after `latest` was asked for.
        let last = max(latest, query.after ?? 0)
        // Gaps behind the last of these events that are already known are not news.
        let known = try await store.gaps(behind: last...Int64.max)
        var place = Place(event: last, gap: known.map(\.id).max() ?? 0, late: late, meaning: meaning)
        var pages = backlog(upTo: last)
        while !pages.isDone && !Task.isStopping {
            var page = try await pages.next()
            // Parts that are read side by side need not have the same gaps, except those that the live part asks for.
            for gap in page.gaps where gap.afterEventID >= last { place.gap = max(place.gap, gap.id) }
            // A client that was shown nothing for long has passed events that it does not know of.
            if page.removed > gone, meaning.predicate == .everything {
                stream.lines.append(missed: page.removed - gone)
            }
            gone = max(gone - page.removed, 0)
            try await stream.write(&page)
        }
        return place
    }

    /// The stored events that come first: those after an event, with the gaps behind it, or those that were sent last.
    private func backlog(upTo last: Int64) -> EventPages {
        var backlog = query
        backlog.order = .oldest
        if query.after != nil {
            backlog.limit = nil
            backlog.before = last + 1
        }
        return EventPages(backlog, matching: meaning.predicate, upTo: last, from: source)
    }

    /// Sends the events between the position and the newest event, unless there are too many. Gaps are always sent.
    /// Late events are always counted, and so are those that were removed before they were read.
    private func sendNews(from place: inout Place, to stream: inout LineStream) async throws {
        // Its memory is free again when the lines are written.
        var source = source
        repeat {
            let start = place.event
            place.publications = store.feed.publications
            let latest = store.feed.latest
            place.late.move(to: now())
            if let missed = try await passOver(from: &place) { stream.lines.append(missed: missed) }
            let before = place.event
            var (lines, end) = try await news(behind: &place, from: &source)
            let predicate = place.meaning.predicate
            // Events may have been removed before they were read here.
            place.event = end.next ?? max(before, end.newestEventID, latest)
            let removed = place.event - before - end.storedEvents
            if removed > 0 { stream.lines.append(missed: removed) }
            // The page usually has all of them.
            if place.event - start > lines.count {
                let late = try await count(place.late.late(predicate), after: start, through: place.event)
                place.late.leaveOut(late, for: lateTime)
            }
            // More gaps may be added at the position until the next event.
            let gaps = try await store.gaps(behind: start...place.event).filter {
                ($0.afterEventID > start || $0.id > place.gap) && predicate.concerns($0.gap)
            }
            for gap in gaps { place.gap = max(place.gap, gap.id) }
            var page = try lines.takePage(with: gaps, isAscending: true)
            try await stream.write(&page)
            if let late = place.late.takeDue() { stream.lines.append(late: late) }
            // The loop may last: events come meanwhile, and each round may wait for searches of others.
            try await stream.write()
        } while place.event < store.feed.latest && !Task.isStopping
        source.release()
    }

    /// Reads the next events. They may have been resolved by what has replaced the dictionaries meanwhile: then the query is asked
    /// again, by what it means now.
    private func news(behind place: inout Place, from source: inout EventSource) async throws -> (EventLines, PageEnd) {
        while true {
            if place.meaning.replacements != replacements() { place.meaning = try await newMeaning() }
            source.highlight = place.meaning.highlight
            let page = try await source.lines(
                matching: place.late.inTime(place.meaning.predicate), after: place.event)
            if place.meaning.replacements == replacements() { return page }
        }
    }

    /// Skips to the newest event if there are too many. Late events are counted and not skipped.
    /// - Returns: the number of skipped events, without the late ones; `nil` if none were skipped.
    private func passOver(from place: inout Place) async throws -> Int64? {
        let latest = store.feed.latest
        let lag = latest - place.event
        guard lag > maximumLag else { return nil }
        let missed = lag - (try await count(place.late.late(.everything), after: place.event, through: latest))
        guard missed > maximumLag else { return nil }
        place.event = latest
        return missed
    }

    /// Counts the events that match a predicate; none match `nil`.
    private func count(_ predicate: Predicate?, after: Int64, through last: Int64) async throws -> Int64 {
        guard let predicate, after < last else { return 0 }
        return Int64(try await store.count(matching: predicate, after: after, through: last))
    }

    /// Returns when there may be something that was not read, when late events are to be reported, or when the daemon
    /// stops.
    private func waitForNews(at place: Place) async {
        await cancelWhenGracefulShutdown { [store] in
            guard let due = place.late.due else { return await store.feed.wait(since: place.publications) }
            await runUntilFirstEnds([
                { await store.feed.wait(since: place.publications) },
                { try? await Task.sleep(until: due, clock: .continuous) },
            ])
        }
    }
}
