import API
import HTTPTypes
import Hummingbird
import JSON
import Model
import NIOCore
import Predicates
import Queries
import Store

extension ControlAPI {
    /// `GET /v1/events`
    func events(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try EventQuery(urlQuery: request.uri.query)
        let asked = now()
        let meaning = try await meaning(of: query, from: context, at: asked)
        let source = EventSource(
            store, memory, limits.pages, highlighting: meaning.highlight,
            members: query.members, largeWindows: largeWindows, countsRemoved: query.follow)
        return query.follow
            ? try tail(query, meaning, source, request, context, at: asked)
            : try await range(query, meaning.predicate, source, context)
    }

    private func meaning(
        of query: EventQuery, from context: ControlContext, at moment: UInt64
    ) async throws -> QueryMeaning {
        let replacements = daemon.replacements()
        return QueryMeaning(
            predicate: try await predicate(query.filter, from: context, at: moment),
            highlight: try await highlight(query, from: context, at: moment), replacements: replacements)
    }

    /// Returns which events are marked.
    private func highlight(
        _ query: EventQuery, from context: ControlContext, at moment: UInt64
    ) async throws -> Predicate? {
        guard let highlight = query.highlight else { return nil }
        do {
            return try await predicate(of: highlight, from: context, at: moment)
        } catch var error as QueryError {
            error.parameter = EventQuery.highlightName
            throw error
        }
    }

    private func range(
        _ query: EventQuery, _ predicate: Predicate, _ source: EventSource, _ context: ControlContext
    ) async throws -> Response {
        var pages = EventPages(query, matching: predicate, upTo: store.feed.latest, from: source)
        // The first page is read before the status is sent, so that a query that the store refuses gets a problem.
        let first = try await pages.next()
        let begun = TakenOnce((first, pages))
        return Response(
            stream: ResponseBody { writer in
                var stream = LineStream(writer, channel: context.channel, chunkBytes: limits.pages.lineBytes)
                guard var (page, pages) = begun.take() else { return }
                do {
                    while !pages.isDone {
                        // The next page is read while the client receives this one.
                        let begun = pages
                        async let next = Self.next(of: begun)
                        try await stream.write(&page)
                        (page, pages) = try await next
                    }
                    try await stream.write(&page)
                } catch let error as StoreError where error.kind != .cancelled {
                    try stream.lines.append(Problem(error))
                }
                try await stream.finish()
            })
    }

    private static func next(of pages: EventPages) async throws -> (ReplyPage, EventPages) {
        var pages = pages
        return (try await pages.next(), pages)
    }

    private func tail(
        _ query: EventQuery, _ meaning: QueryMeaning, _ source: EventSource, _ request: Request,
        _ context: ControlContext, at moment: UInt64
    ) throws -> Response {
        let latest = store.feed.latest
        guard let bounds = meaning.predicate.bounds, bounds.times.upperBound >= now(),
            bounds.ids.upperBound > query.after ?? latest
        else {
            throw Problem(
                status: 422, title: "Bad query",
                detail: """
                    No event that comes can meet the filter: it ends in the past or at an id that is there already, or \
                    contradicts itself.
                    """)
        }
        guard let place = tails.takeAtOnce(1) else { return tooManyTails }
        let tail = Tail(
            query: query, meaning: meaning, source: source, latest: latest,
            maximumLag: options.maximumTailLag, lateTime: limits.lateTime, now: now,
            replacements: daemon.replacements,
            newMeaning: { try await self.meaning(of: query, from: context, at: moment) })
        return stream(request, context, holding: place) { try await tail.run(into: &$0) }
    }

    /// `GET /v1/events/{id}`
    func event(_ request: Request, _ context: ControlContext) async throws -> Response {
        let text = try context.pathParameter("id")
        guard let id = EventQuery.id.read(text) else {
            throw Problem(
                status: 400, title: "Bad path", detail: "\(text) is not an event id, which is a number from 0")
        }
        var source = EventSource(store, memory, limits.pages)
        let found = try await withTaskExecutorPreference(documents.thread) {
            try await beginDetail(of: id, from: &source)
        }
        guard let (begun, place) = found else {
            throw Problem(status: 404, title: "Not found", detail: "There is no event \(id). It may have been removed.")
        }
        var detail = begun
        let answer = await journal(at: place, bytes: limits.pages.payloadBytes, context)
        if case .read(let journal) = answer { detail.finish(journal) }
        guard case .larger(let bytes) = answer else {
            return Response(pieces: detail.take(), of: source, channel: context.channel)
        }
        // The fields of the journal are read after the event was sent, so that nothing is kept while this waits for
        // memory.
        let rest = TakenOnce((detail, source))
        return Response(
            jsonBody: ResponseBody { writer in
                guard var (detail, source) = rest.take() else { return }
                var body = PacedBody(writer, channel: context.channel)
                try await body.write(detail.take())
                source.release()
                let share = try await memory.take(EventSource.copies * bytes)
                detail.finish(await journal(at: place, bytes: bytes, context).whole)
                try await body.write(detail.take())
                withExtendedLifetime(share) {}
                try await body.finish()
            })
    }

    /// - Returns: `nil` if there is no such event.
    private func beginDetail(
        of id: Int64, from source: inout EventSource
    ) async throws -> (EventDetailWriter, EntryPlace)? {
        guard let event = try await source.event(id: id) else { return nil }
        let dictionary = await dictionary(of: event)
        let version = event.kind.definitionsVersion
        // What is undefined may be sent under the name that its definition has only in files.
        let key = event.resolution == .undefined ? nil : event.kind.key
        let detail = try EventDetailWriter(
            event,
            definition: dictionary.flatMap { dictionary in
                key.flatMap { DefinitionReply($0, in: dictionary, sentBy: event.origin.source) }
            },
            currentVersion: dictionary.flatMap { $0.version == version ? nil : $0.version },
            links: links(of: event, dictionary))
        return (detail, event.place)
    }

    /// The current form of the definition that the event was validated against.
    private func dictionary(of event: Event) async -> EventDictionary? {
        guard let name = event.kind.dictionary else { return nil }
        return await daemon.dictionary(name)?.dictionary
    }

    private func links(of event: Event, _ dictionary: EventDictionary?) -> [LinkReply] {
        guard let key = event.kind.key, let dictionary else { return [] }
        return dictionary.options.links.links(to: key, payload: event.payload)
    }

    private enum JournalAnswer {
        case read(EventDetail.Journal)
        /// The fields have this many bytes, which is more than the limit.
        case larger(bytes: Int)

        /// The result of a read without a limit.
        var whole: EventDetail.Journal {
            guard case .read(let journal) = self else { return .unreadable("the entry has grown in the meantime") }
            return journal
        }
    }

    /// Reads the entry, if the client may read the journal. The fields have all values as they were sent, including
    /// those that definitions call private.
    private func journal(at place: EntryPlace, bytes: Int, _ context: ControlContext) async -> JournalAnswer {
        do {
            guard try await journalReaders.allows(context) else {
                return .read(.withheld("\(journalReaders) may see them."))
            }
            guard let entry = try await daemon.journalEntry(place, bytes: bytes) else { return .read(.gone) }
            return entry.bytes > bytes ? .larger(bytes: entry.bytes) : .read(.fields(entry.fields))
        } catch {
            return .read(.unreadable("\(error)"))
        }
    }
}

extension Response {
    /// Makes a response with NDJSON.
    /// - Parameter watchesClient: whether the body looks whether the client has left, which uses the connection up.
    init(stream body: ResponseBody, watchesClient: Bool = false) {
        var headers: HTTPFields = [.contentType: "application/x-ndjson"]
        if watchesClient { headers[.connection] = "close" }
        self.init(status: .ok, headers: headers, body: body)
    }

    /// Makes a response with a JSON document, in pieces if it is large.
    /// - Parameter source: the source of its events, which has the memory for it.
    init(pieces: JSONPieces, of source: EventSource, channel: (any Channel)?) {
        guard source.hasReservation else {
            self.init(jsonText: pieces.joined())
            return
        }
        let begun = TakenOnce((pieces, source))
        self.init(
            jsonBody: ResponseBody { writer in
                guard let (pieces, source) = begun.take() else { return }
                var body = PacedBody(writer, channel: channel)
                try await body.write(pieces)
                withExtendedLifetime(source) {}
                try await body.finish()
            })
    }
}

extension ControlAPI {
    /// `GET /v1/gaps`
    func gaps(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try GapQuery(urlQuery: request.uri.query)
        let limit = query.limit
        // One more than requested shows whether there is another page.
        return try await documents.response(context) {
            let records = try await store.gaps(after: query.after, limit: limit + 1)
            let page = records.prefix(limit)
            return try APICoding.encode(
                GapList(gaps: page.map(GapLine.init), next: records.count > limit ? page.last?.id : nil))
        }
    }
}
