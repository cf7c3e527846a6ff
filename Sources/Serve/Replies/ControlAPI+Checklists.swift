import API
import Hummingbird
import Model
import NIOCore
import Predicates
import Queries
import ServiceLifecycle
import Store
import Watches

extension ControlAPI {
    /// `GET /v1/checklists`
    func checklists(_ request: Request, _ context: ControlContext) async throws -> Response {
        try Response(json: await daemon.checklists.list())
    }

    /// `POST /v1/checklists`
    func startChecklist(_ request: Request, _ context: ControlContext) async throws -> Response {
        let query = try ChecklistQuery(urlQuery: request.uri.query)
        let body = try await request.body.collect(upTo: options.maximumBodyBytes)
        guard let text = String(validating: body.readableBytesView, as: UTF8.self), !text.isEmpty else {
            throw Problem(status: 422, title: "No checklist", detail: "The list is empty, or is not UTF-8.")
        }
        // Parts of predicates may mean another whole: `a) or (b`.
        if let text = query.predicate { _ = try await predicate(of: text, from: context) }
        let start = ChecklistStart(
            text: text, format: query.format,
            file: query.file ?? (query.format == .yaml ? "checklist.yaml" : "checklist.md"),
            condition: condition(query), predicates: await daemon.predicates(),
            mayReadJournal: try await journalReaders.allows(context))
        let reply = try await daemon.checklists.start(start, named: query.name, since: query.since)
        return try Response(json: try await shown(reply, to: context))
    }

    private func condition(_ query: ChecklistQuery) -> String? {
        let roles = [
            query.user.map { "user == \(PredicateSyntax.quoted($0))" },
            query.device.map { "device == \(PredicateSyntax.quoted($0))" },
        ].compactMap(\.self)
        if roles.isEmpty { return query.predicate }
        return (roles + (query.predicate.map { ["(\($0))"] } ?? [])).joined(separator: " and ")
    }

    /// `GET /v1/checklists/{run}`
    func checklist(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await answer(context) { checklists, name in try await checklists.reply(name) }
    }

    /// `POST /v1/checklists/{run}/reset`
    func resetChecklist(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await answer(context) { checklists, name in try await checklists.reset(name) }
    }

    /// `POST /v1/checklists/{run}/stop`
    func stopChecklist(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await answer(context) { checklists, name in try await checklists.stop(name) }
    }

    /// `DELETE /v1/checklists/{run}`
    func removeChecklist(_ request: Request, _ context: ControlContext) async throws -> Response {
        try await answer(context) { checklists, name in try await checklists.remove(name) }
    }

    private func answer(
        _ context: ControlContext, _ body: (ChecklistKeeper, String) async throws -> ChecklistReply
    ) async throws -> Response {
        let reply = try await body(daemon.checklists, try context.pathParameter("run"))
        return try Response(json: try await shown(reply, to: context))
    }

    func shown(_ reply: ChecklistReply, to context: ControlContext) async throws -> ChecklistReply {
        var similar = SimilarKeys()
        return try await shown(reply, &similar, to: context)
    }

    /// A reply with keys that are similar to undefined ones, and without what the client may not see: with the plain text of a hashed
    /// value in a predicate, it would learn which of the hashes in events is that value.
    private func shown(
        _ reply: ChecklistReply, _ similar: inout SimilarKeys, to context: ControlContext
    ) async throws -> ChecklistReply {
        let replacements = daemon.replacements()
        let dictionaries = await daemon.dictionaries().map(\.dictionary)
        let mayShow = try await shownPredicates(dictionaries, to: context)
        let isShown = { (predicate: String?) in predicate.map(mayShow) ?? true }
        var reply = reply
        similar.add(to: &reply, dictionaries, replacements)
        if !isShown(reply.predicate) { (reply.predicate, reply.text) = (nil, nil) }
        for place in reply.items.indices where !isShown(reply.items[place].predicate) {
            (reply.items[place].predicate, reply.text) = (nil, nil)
            // An item without a name of its own is called by its predicate.
            reply.rename(reply.items[place].name, to: "\(reply.items[place].event) (\(place + 1))")
        }
        return reply
    }

    // MARK: scope

    private static let mostPrograms = 20

    /// `GET /v1/checklists/{run}/scope`
    func checklistScope(_ request: Request, _ context: ControlContext) async throws -> Response {
        let name = try context.pathParameter("run")
        let predicate = try await daemon.checklists.predicate(of: name)
        let items = try await daemon.checklists.itemPredicates(of: name)
        let (dictionaries, rules) = (await daemon.dictionaries().map(\.dictionary), await daemon.rules())
        let maker = ReportMaker(
            store: store, source: EventSource(store, memory, limits.pages), dictionaries: dictionaries, rules: rules,
            query: ReportQuery(), matching: predicate)
        let versions = PredicateBinder.Names(dictionaries).paths(ofParameter: "app_version")
        let groups = GroupQuery(
            predicate, by: [.text(.sender(.identifier)), .parameter(Predicate.ParameterPath(names: versions))],
            limit: Self.mostPrograms)
        let stored = try await store.storedSources()
        // While nothing goes wrong, glossd has no diagnostics.
        let idle = rules.filter { !$0.isOwn && !$0.excludes && !stored.contains($0.text) }
        let beginsInFuture = predicate.bounds.map { $0.times.lowerBound > now() } ?? false
        // Not within the document, which would keep its place while it waits for another.
        let programs = try await documents.run(.groups) { try await store.groups(groups, zone: .utc) }
        return try await documents.response(context, .search) {
            var scope = try await maker.scope()
            try await addUnknown(in: items, to: &scope)
            return try APICoding.encode(
                ChecklistScope(
                    scope: scope, beginsInFuture: beginsInFuture,
                    idleSources: idle.map(\.text),
                    programs: programs.rows.map {
                        .init(identifier: $0.values[0], version: $0.values[1], events: $0.count)
                    }, morePrograms: max(0, programs.groups - programs.rows.count)))
        }
    }

    /// Adds the names in predicates of items that nothing ever had: such an item is never sent, also if it must not be.
    private func addUnknown(in items: [Predicate], to scope: inout ReportScope) async throws {
        var unknown = scope.unknown ?? []
        for (key, parameter) in [(Predicate.TextKey.sender(.subsystem), "subsystem"), (.sender(.category), "category")]
        {
            let wanted = Set(items.flatMap(\.wanted).filter { $0.key == key })
            let names = try await store.neverSeen(among: Array(wanted)).map { ExactString($0.value) }
            let new = Set(names).subtracting(unknown.filter { $0.parameter == parameter }.map { ExactString($0.value) })
            unknown += new.sorted().map { ReportScope.Unknown(parameter: parameter, value: $0.text) }
        }
        scope.unknown = unknown.isEmpty ? nil : unknown
    }

    // MARK: changes

    /// `GET /v1/checklists/{run}/changes`
    func checklistChanges(_ request: Request, _ context: ControlContext) async throws -> Response {
        let name = try context.pathParameter("run")
        let first = try await daemon.checklists.change(of: name, after: nil)
        // The reader looks more often for new entries while somebody waits for events.
        guard let place = tails.takeAtOnce(1) else { return tooManyTails }
        return stream(request, context, holding: place) { stream in
            await daemon.checklists.beginWatching()
            do {
                try await follow(name, from: first, into: &stream, context)
            } catch {
                await daemon.checklists.endWatching()
                throw error
            }
            await daemon.checklists.endWatching()
        }
    }

    /// Sends a line for each change until the client disconnects, the run is removed, or the daemon stops.
    private func follow(
        _ name: String, from first: (ChecklistReply, revision: Int64), into stream: inout LineStream,
        _ context: ControlContext
    ) async throws {
        var (next, similar) = (first, SimilarKeys())
        while !Task.isStopping {
            stream.lines.append(lines: try ChecklistLine.line(await shown(next.0, &similar, to: context))[...])
            try await stream.write()
            let known = next.revision
            next = try await cancelWhenGracefulShutdown {
                try await daemon.checklists.change(of: name, after: known)
            }
        }
    }
}

/// The defined keys that are most similar to undefined ones of a list. They are looked for once while dictionaries stay the same, not
/// for each change that somebody watches: that takes longer than all else.
private struct SimilarKeys {
    private var found: [ExactString: String?] = [:]
    /// How often dictionaries had been replaced before.
    private var replacements = 0

    mutating func add(to reply: inout ChecklistReply, _ dictionaries: [EventDictionary], _ replacements: Int) {
        if replacements != self.replacements { (found, self.replacements) = ([:], replacements) }
        let undefined = reply.items.indices.filter { !reply.items[$0].isDefined }
        let new = undefined.map { reply.items[$0].event }.filter { found[ExactString($0)] == nil }
        if !new.isEmpty {
            var closest = dictionaries.map { ClosestKey($0, rounds: ClosestKey.maximumRounds / dictionaries.count) }
            for event in new {
                let key = EventKey(path: event)
                let near = key.map { key in closest.indices.compactMap { closest[$0].find(key) } } ?? []
                let nearest = near.min { $0.distance < $1.distance }
                found[ExactString(event)] = .some(
                    nearest.map { EventKey(category: $0.category, name: $0.name).description })
            }
        }
        for place in undefined { reply.items[place].closest = found[ExactString(reply.items[place].event)] ?? nil }
    }
}

extension ChecklistReply {

    /// Gives an item another name, wherever it is named.
    fileprivate mutating func rename(_ old: String, to new: String) {
        for place in items.indices where items[place].name == old { items[place].name = new }
        for place in orders.indices { orders[place].rename(old, to: new) }
        for place in funnels.indices {
            for step in funnels[place].steps.indices where funnels[place].steps[step].name == old {
                funnels[place].steps[step].name = new
            }
        }
    }
}
