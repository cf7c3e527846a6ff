import API
import Hummingbird
import Model
import Store
import Synchronization

extension ControlAPI {
    /// `GET /v1/events`
    func events(_ request: Request, _ context: ControlContext) async throws -> Response {
        var query = try EventQuery(urlQuery: request.uri.query)
        query.filter = try await filter(query.filter, users: query.users, devices: query.devices, from: context)
        return query.follow ? try tail(query, request, context) : try await range(query, context)
    }

    private func range(_ query: EventQuery, _ context: ControlContext) async throws -> Response {
        var pages = EventPages(query, from: EventSource(store, memory, limits))
        // The first page is read before the status is sent, so that a query the store refuses gets its problem.
        let begun = BegunPages(first: try await pages.next(), pages: pages)
        return Response(
            stream: ResponseBody { writer in
                var stream = LineStream(writer, channel: context.channel, chunkBytes: limits.chunkBytes)
                guard var pages = begun.take(into: &stream) else { return }
                do {
                    try await stream.writeIfFull()
                    while !pages.isDone {
                        stream.append(try await pages.next())
                        try await stream.writeIfFull()
                    }
                } catch let error as StoreError where error.kind != .cancelled {
                    stream.lines.append(Problem(error))
                }
                try await stream.finish()
            })
    }

    private func tail(_ query: EventQuery, _ request: Request, _ context: ControlContext) throws -> Response {
        guard let place = tails.take() else {
            let problem = Problem(
                status: 503, title: "Too many tails",
                detail: "\(options.maximumTails) tails are open, which is the limit. Close one, or try again later.")
            return Response(problem, headers: [.retryAfter: "10"])
        }
        let tail = Tail(
            query: query, source: EventSource(store, memory, limits), maximumLag: options.maximumTailLag)
        return Response(
            stream: ResponseBody { writer in
                _ = place
                let stream = LineStream(writer, channel: context.channel, chunkBytes: limits.chunkBytes)
                try await tail.run(into: stream, untilClosed: request.body)
            })
    }

    /// `GET /v1/events/{id}`
    func event(_ request: Request, _ context: ControlContext) async throws -> Response {
        let text = try context.pathParameter("id")
        guard let id = EventQuery.id(text) else {
            throw Problem(status: 400, title: "Bad path", detail: "\(text) is not an event's id: a number from 0")
        }
        guard let event = try await store.event(id: id) else {
            throw Problem(status: 404, title: "Not found", detail: "The store has no event \(id), or no longer.")
        }
        let dictionary = await dictionary(of: event)
        let version = event.kind.definitionsVersion
        return Response(
            jsonText: try EventDetail.encode(
                event,
                definition: dictionary.flatMap { dictionary in
                    event.kind.key.flatMap { DefinitionReply($0, in: dictionary) }
                },
                currentVersion: dictionary.flatMap { $0.version == version ? nil : $0.version },
                links: links(of: event, dictionary), journal: await journal(of: event, context)))
    }

    /// The one that the event was held against, as it is now.
    private func dictionary(of event: Event) async -> EventDictionary? {
        guard let name = event.kind.dictionary else { return nil }
        return await daemon.dictionaries().first { $0.dictionary.options.name == name }?.dictionary
    }

    private func links(of event: Event, _ dictionary: EventDictionary?) -> [LinkReply] {
        guard let key = event.kind.key, let dictionary else { return [] }
        return dictionary.options.links.links(to: key, payload: event.payload)
    }

    /// The entry has values as they were sent, also those that definitions call private: they are for those who could
    /// ask the journal itself.
    private func journal(of event: Event, _ context: ControlContext) async -> EventDetail.Journal {
        do {
            guard try await journalReaders.allows(context) else { return .withheld("\(journalReaders) see them.") }
            return try await daemon.journalFields(event.cursor).map { .fields($0) } ?? .gone
        } catch {
            return .unreadable("\(error)")
        }
    }
}

extension LineStream {
    mutating func append(_ items: [GapPlacement.Item]) {
        for item in items {
            switch item {
            case .event(let event): lines.append(event)
            case .gap(let gap): lines.append(gap)
            }
        }
    }
}

/// Pages of which the first was read before the response began. The response's body, which is there to its end, must not
/// keep it.
private final class BegunPages: Sendable {
    private let begun: Mutex<(first: [GapPlacement.Item], pages: EventPages)?>

    init(first: [GapPlacement.Item], pages: EventPages) {
        begun = Mutex((first, pages))
    }

    /// - Returns: the pages that follow; `nil` when they were taken before.
    func take(into stream: inout LineStream) -> EventPages? {
        let begun = begun.withLock { begun in
            defer { begun = nil }
            return begun
        }
        guard let begun else { return nil }
        stream.append(begun.first)
        return begun.pages
    }
}

extension Response {
    /// NDJSON.
    fileprivate init(stream body: ResponseBody) {
        self.init(status: .ok, headers: [.contentType: "application/x-ndjson"], body: body)
    }
}
