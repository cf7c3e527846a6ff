import API
import Model
import Predicates

/// Runs the queries of `show` and `tail` and prints the events.
struct EventStream {
    let client: ControlClient
    let console: Console
    var printer: EventPrinter
    /// The time zone of messages if nothing is found.
    var zone = Zone.local

    /// Prints the events in the order in which they arrive.
    /// - Throws: `ControlError.no` at the end if some were left out, `.nothing` if there are none.
    mutating func print(_ query: EventQuery) async throws {
        var asked = query
        asked.members = printer.members
        var (printed, progress) = (Printed(), StreamProgress(console))
        defer { progress.clear() }
        // A reader may take its time, such as less.
        while let rest = try await printRange(asked, &printed, &progress) {
            // Events come meanwhile: a reader that is slower than they come would never see an end.
            let isOpen = rest.order == .oldest && rest.before == nil
            asked = rest
            if isOpen { asked.before = try await newest().map { $0 + 1 } }
        }
        try printer.finish()
        // 0 events were requested.
        guard printed.events + printed.leftOut > 0 || query.limit == 0 else {
            throw await NothingFound(client: client, query: query, zone: zone).answer()
        }
        guard printed.leftOut == 0 else {
            throw ControlError.no("\(printed.leftOut == 1 ? "an event was" : "events were") left out")
        }
    }

    /// Prints events until the reader closes the output, which is not a failure.
    /// - Parameter reconnects: whether to wait for a daemon that closes the connection, and then to continue. Otherwise
    ///   this is a failure.
    mutating func follow(_ query: EventQuery, reconnects: Bool) async throws {
        console.endWithReader()
        do {
            guard reconnects, let place = try await begin(query) else {
                try await printTail(query)
                throw ControlError.left(socket: client.socket)
            }
            try await followRestarts(query, from: place)
        } catch ControlError.interrupted {
            return
        }
    }

    /// The id of the newest event, 0 if there never was one; `nil` if the store is so damaged that the daemon does not
    /// know it.
    private func newest() async throws -> Int64? {
        try await client.status().events?.newestID
    }

    /// What was printed, in one answer or several.
    private struct Printed {
        var events = 0
        /// The number of events that were left out, each with a message.
        var leftOut = 0
    }

    /// - Returns: the query of the rest, if the daemon has ended the answer because the output was not read; `nil` if there is
    ///   none.
    private mutating func printRange(
        _ query: EventQuery, _ printed: inout Printed, _ progress: inout StreamProgress
    ) async throws -> EventQuery? {
        var place = RangePlace(query)
        defer { printed.events += place.events }
        do {
            if printer.passesLines {
                try await pass(query, &place, &progress)
            } else {
                try await printLines(query, &place, &printed.leftOut, &progress)
            }
            return nil
        } catch ControlError.left(let socket, wasUnread: true) {
            guard let rest = place.rest else { throw ControlError.left(socket: socket, wasUnread: true) }
            return rest
        }
    }

    private func pass(_ query: EventQuery, _ place: inout RangePlace, _ progress: inout StreamProgress) async throws {
        var lines = PassingLines(ofRange: true)
        defer { if let last = lines.lastEvent { place.move(to: last, events: lines.events) } }
        try await client.copyLines(APIPath.events(query), &lines, readsAhead: query.isByTime) { piece, lines in
            try printer.pass(piece)
            progress.note(lines: lines, bytes: piece.count)
        }
    }

    private mutating func printLines(
        _ query: EventQuery, _ place: inout RangePlace, _ leftOut: inout Int, _ progress: inout StreamProgress
    ) async throws {
        // What comes behind the last event comes again with the rest.
        var held: [[UInt8]] = []
        try await client.lines(APIPath.events(query), readsAhead: query.isByTime) { [console] id, why in
            leftOut += 1
            // What is held would not come again.
            if held.isEmpty { place.move(to: id, events: 1) }
            progress.clear()
            Self.complain(console, id, why)
        } _: { lines in
            held += lines
            let isFailed = StreamLine.problem(in: lines) != nil
            let last = isFailed ? held.count - 1 : held.lastIndex { $0.begins(with: PassingLines.event) }
            let end = last ?? held.count - Self.mostHeld
            guard end >= 0 else { return }
            let part = Array(held[...end])
            held.removeFirst(part.count)
            try await printer.print(part)
            let events = part.count { $0.begins(with: PassingLines.event) }
            if let id = LineHead.event(beginning: part[end]) { place.move(to: id, events: events) }
            progress.note(lines: part.count, bytes: part.reduce(0) { $0 + $1.count + 1 })
        }
        try await printer.write(held)
    }

    /// The most lines behind an event that are held: what is not from this daemon may never have one.
    private static let mostHeld = 1000

    private mutating func printTail(_ query: EventQuery) async throws {
        guard !printer.passesLines else {
            var lines = PassingLines(ofRange: false)
            return try await client.copyLines(
                APIPath.events(query), &lines, timeout: ControlClient.documentTimeout
            ) { piece, _ in
                try printer.pass(piece)
            }
        }
        try await client.lines(
            APIPath.events(query), timeout: ControlClient.documentTimeout
        ) { [console] id, why in
            Self.complain(console, id, why)
        } _: {
            try await printer.print($0)
        }
    }

    private static func complain(_ console: Console, _ id: Int64, _ why: String) {
        console.complain(
            "event \(id) is left out: \(why). This writes it to a file: glossctl event \(id) -o json > FILE")
    }
}

// MARK: reconnecting to the daemon

extension EventStream {
    /// The wait before each attempt to reconnect, without jitter: 0.1 s, doubled each time up to 5 s.
    static let backoff = Backoff(base: .milliseconds(100), cap: .seconds(5))

    /// - Throws: the error of the first connection; `ControlError.interrupted`.
    private mutating func followRestarts(_ query: EventQuery, from place: TailPlace) async throws {
        var (query, place) = (query, place)
        // The stored events of the tail came with the position.
        query.limit = EventQuery().limit
        var attempts = 0
        var hasBegun = false
        while true {
            let start = ContinuousClock.now
            do {
                try await printNews(query, &place, &hasBegun)
                console.complain(Self.isGone)
            } catch ControlError.left(_, wasUnread: true) {
                console.complain(Self.wasUnread)
            } catch let error as ControlError where error.isOfConnection {
                console.complain(Self.isGone)
            } catch let error as ControlError where error.mayPass && hasBegun {
                console.complain("waiting: \(error)")
            }
            hasBegun = true
            // Pauses in case the daemon ends again and again.
            if .now - start > Self.backoff.cap { attempts = 0 }
            let isOfAnotherStore = try await waitForAnswer(place, &attempts)
            console.complain("Connected again.")
            guard isOfAnotherStore else { continue }
            let sentence = place.time.map {
                " with what was sent since \(CivilTime.text($0.microseconds, console.zone))"
            }
            console.complain(
                "The store was replaced in the meantime, and its events have other ids. Continuing\(sentence ?? "").")
            let since = max(query.filter[.since].first.flatMap { UInt64($0) } ?? 0, place.time?.microseconds ?? 0)
            query.filter[.since] = [String(since)]
            place.moveToNewStore()
        }
    }

    private static let isGone =
        "glossd has closed the connection; waiting for it to answer again (Ctrl-C ends this)"
    private static let wasUnread =
        "the output was not read for half a minute, so that glossd has closed the connection; connecting again"

    /// Prints the stored events of the tail with a query that has an end, so that it is known whether all arrived.
    /// - Returns: `nil` if the store is so damaged that the daemon does not know where it ends; then the tail cannot
    ///   continue after a restart.
    private mutating func begin(_ query: EventQuery) async throws -> TailPlace? {
        let newest = try await newest()
        if let after = query.after {
            // What is asked next shows why it is not known.
            let event = try? await identity(of: after)
            return TailPlace(event: after, uid: event?.uid, since: event?.time)
        }
        guard let newest else { return nil }
        let began = WireTime(microseconds: console.now())
        var place = TailPlace(event: newest, uid: try? await identity(of: newest)?.uid, since: began)
        guard query.limit != 0 else { return place }
        var backlog = query
        backlog.follow = false
        backlog.late = false
        backlog.order = .oldest
        try await client.lines(APIPath.events(backlog)) { [console] id, why in
            if id <= newest { Self.complain(console, id, why) }
        } _: {
            try await printer.print(place.fresh($0, isBacklog: true))
        }
        return place
    }

    /// - Parameter hasBegun: becomes true when the daemon has sent something.
    private mutating func printNews(
        _ query: EventQuery, _ place: inout TailPlace, _ hasBegun: inout Bool
    ) async throws {
        var query = query
        query.after = place.event
        var passed: [Int64] = []
        try await client.lines(
            APIPath.events(query), timeout: ControlClient.documentTimeout
        ) { [console] id, why in
            passed.append(id)
            Self.complain(console, id, why)
        } _: {
            hasBegun = true
            // Lines that were not printed are requested again.
            var next = place
            let lines = next.fresh($0)
            try await printer.write(lines)
            for id in passed { next.pass(id) }
            passed = []
            place = next
            if let problem = StreamLine.problem(in: lines), !ControlError.refused(problem).mayPass {
                try printer.finish()
            }
        }
    }

    /// - Returns: whether the store was replaced.
    private func waitForAnswer(_ place: TailPlace, _ attempts: inout Int) async throws -> Bool {
        var lastReason: String?
        while true {
            attempts += 1
            let delay = Self.backoff.ceiling(afterFailures: attempts)
            try await Task.pause(for: delay)
            do {
                return try await isOfAnotherStore(place)
            } catch let error as ControlError where error.mayPass {
                // It is known that the daemon is not running; other reasons may need attention.
                if let reason = error.unusual, reason != lastReason {
                    lastReason = reason
                    console.complain("still waiting: \(reason)")
                }
            }
        }
    }

    /// Whether the store was replaced: its newest id is smaller, or the last event has another identity. One whose
    /// newest id the daemon does not know counts as the same.
    private func isOfAnotherStore(_ place: TailPlace) async throws -> Bool {
        guard let newest = try await newest() else { return false }
        guard newest >= place.event else { return true }
        // An event that does not exist may have expired.
        guard let known = place.known, let found = try await identity(of: known.id) else { return false }
        return found.uid != known.uid
    }

    /// - Returns: the uid of a stored event, and when it was sent; `nil` if there is none, or it cannot be read.
    private func identity(of id: Int64) async throws -> (uid: String, time: WireTime)? {
        guard id > 0 else { return nil }
        var query = EventQuery()
        query.after = id - 1
        query.before = id + 1
        query.order = .oldest
        query.limit = 1
        var found: (uid: String, time: WireTime)?
        do {
            try await client.lines(APIPath.events(query)) { _, _ in
            } _: { lines in
                for line in lines {
                    if case .event(id, let uid, let time) = LineHead(line) { found = (uid, time) }
                }
            }
        } catch ControlError.refused(let problem) where !ControlError.refused(problem).mayPass {
            return nil
        }
        return found
    }
}

extension ControlError {
    /// Whether the same request may succeed later.
    var mayPass: Bool {
        switch self {
        case .refused(let problem): problem.status == 503
        default: isOfConnection
        }
    }

    fileprivate var isOfConnection: Bool {
        switch self {
        case .left, .unreachable, .silent: true
        default: false
        }
    }

    /// The reason, unless it is just that the daemon is not running.
    fileprivate var unusual: String? {
        switch self {
        case .unreachable(_, let why, _, let isAbsent): isAbsent ? nil : why
        case .silent(_, let seconds): ControlError.silence(seconds)
        case .refused: description
        default: nil
        }
    }
}
