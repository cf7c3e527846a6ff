import API
import Hummingbird
import Model
import Queries

extension ControlAPI {
    /// All endpoints of the API.
    var endpoints: [Endpoint] {
        daemonEndpoints + eventEndpoints + dictionaryEndpoints + reportEndpoints + checklistEndpoints + alertEndpoints
    }

    private static let unprocessable = """
        The query is invalid in a way that no schema can express: grep is not a regular expression, no definition has \
        a parameter for a user or device, or parameters exclude each other
        """
    private static let notByValue = "This client may not filter by values that are stored as hashes"

    private var daemonEndpoints: [Endpoint] {
        [
            Endpoint(
                id: "status", tag: .daemon, method: .get, path: APIPath.status,
                summary: "The state of the daemon: journal, events, sinks, gaps, dictionaries and store",
                reply: .json(StatusReply.object), answer: status),
            Endpoint(
                id: "diagnostics", tag: .daemon, method: .get, path: APIPath.diagnostics,
                summary: "What went wrong inside, and still does", reply: .json(DiagnosticList.object),
                answer: diagnostics),
            Endpoint(
                id: "verify", tag: .daemon, method: .get, path: APIPath.verify,
                summary: "Compare the store with the current journal, entry by entry; the last line has the result",
                query: VerifyQuery.documentation, reply: .stream(VerificationLine.stream),
                problems: [503: "Another verification is running; see Retry-After"], answer: verify),
            Endpoint(
                id: "reload", tag: .daemon, method: .post, path: APIPath.reload,
                summary: """
                    Read settings and dictionaries again; definitions with errors stay as they were, or are not in force
                    """,
                reply: .json(ReloadReply.object),
                problems: [
                    403: "Not permitted", 409: "A change needs a restart",
                    422: "The settings have errors, or no file of a dictionary can be read",
                ],
                needsAdmin: true, answer: reload),
            Endpoint(
                id: "metrics", tag: .daemon, method: .get, path: APIPath.metrics,
                summary: "Metrics in Prometheus' text form; see docs/metrics.md",
                reply: .text(type: MetricsText.mediaType, example: MetricsText.example), answer: metrics),
            Endpoint(
                id: "openAPI", tag: .daemon, method: .get, path: APIPath.openAPI, summary: "This document",
                reply: .document, answer: openAPI),
        ]
    }
    private var eventEndpoints: [Endpoint] {
        [
            Endpoint(
                id: "events", tag: .events, method: .get, path: APIPath.events,
                summary:
                    "Events that match a filter; with follow=true the last n, then new ones until the client disconnects",
                query: EventQuery.documentation, reply: .stream(StreamLine.stream),
                problems: [
                    403: Self.notByValue, 422: Self.unprocessable, 503: "Too many tails; see Retry-After",
                ], answer: events),
            Endpoint(
                id: "event", tag: .events, method: .get, path: APIPath.events + "/{id}",
                summary: """
                    An event with its definition and, for clients that may read the journal, all fields of its journal \
                    entry
                    """,
                reply: .json(EventDetail.object), problems: [404: "No such event"], answer: event),
            Endpoint(
                id: "stats", tag: .events, method: .get, path: APIPath.stats,
                summary: "Events in groups, with counts, numbers and trends",
                query: StatsQuery.documentation, reply: .json(StatsReply.object),
                problems: [403: Self.notByValue, 422: Self.unprocessable], answer: stats),
            Endpoint(
                id: "sql", tag: .events, method: .get, path: APIPath.sql,
                summary: "The rows of a SELECT on events, definitions and gaps; see docs/sql.md",
                query: SQLQuery.documentation, reply: .stream(SQLLine.stream),
                problems: [
                    403: Self.notByValue, 422: "The statement or the filter is wrong, or took too long",
                    503: "Too many statements; see Retry-After",
                ], answer: sql),
            Endpoint(
                id: "tables", tag: .events, method: .get, path: APIPath.tables,
                summary: "The tables of SQL, with their columns", query: TableQuery.documentation,
                reply: .json(TableList.object),
                problems: [404: "No such table", 422: "The table in `after` is not among those that are asked for"],
                answer: tables),
            Endpoint(
                id: "keys", tag: .events, method: .get, path: APIPath.keys,
                summary: "What predicates can ask for: keys, parameters, and predicates with names",
                reply: .json(KeyCatalog.object), answer: keys),
            Endpoint(
                id: "gaps", tag: .events, method: .get, path: APIPath.gaps, summary: "The gap records, oldest first",
                query: GapQuery.documentation, reply: .json(GapList.object), answer: gaps),
        ]
    }

    private var dictionaryEndpoints: [Endpoint] {
        let dictionary = APIPath.dictionaries + "/{dictionary}"
        return [
            Endpoint(
                id: "dictionaries", tag: .dictionaries, method: .get, path: APIPath.dictionaries,
                summary: "The dictionaries, in the order of the settings, with what is wrong with their files",
                reply: .json(DictionaryList.object), answer: dictionaries),
            Endpoint(
                id: "definitions", tag: .dictionaries, method: .get, path: dictionary + "/definitions",
                summary: "The definitions of a dictionary, and whether their events are sent",
                query: DefinitionQuery.documentation, reply: .json(DefinitionList.object),
                problems: [404: "No such dictionary", 422: "The definition in `after` does not exist"],
                answer: definitions),
            Endpoint(
                id: "definition", tag: .dictionaries, method: .get, path: dictionary + "/definitions/{category}/{name}",
                summary: "A definition with all its parameters, and how often its events were sent",
                reply: .json(DefinitionDetail.object),
                problems: [404: "No such dictionary or definition", 422: "The definition has an error"],
                answer: definition),
            Endpoint(
                id: "versions", tag: .dictionaries, method: .get, path: dictionary + "/versions",
                summary: "The versions of a dictionary, newest first",
                reply: .json(DictionaryVersionList.object), problems: [404: "No such dictionary"],
                answer: versions),
            Endpoint(
                id: "version", tag: .dictionaries, method: .get, path: dictionary + "/versions/{version}",
                summary: "The files of one version",
                reply: .json(DictionaryFiles.object),
                problems: [404: "No such dictionary, or the files of the version are not kept"], answer: version),
        ]
    }

    private var reportEndpoints: [Endpoint] {
        func endpoint<Row: ReportRow>(
            _ kind: ReportKind, _ summary: String,
            _ make: @escaping @Sendable (ReportMaker) async throws -> Report<Row>
        ) -> Endpoint {
            Endpoint(
                id: "\(kind.rawValue)Report", tag: .reports, method: .get, path: APIPath.report(kind), summary: summary,
                query: ReportQuery.documentation(kind),
                reply: .json(Report<Row>.object, showing: ["report": .text(kind.rawValue)]),
                problems: [403: Self.notByValue, 422: Self.unprocessable]
            ) { request, context in
                let query = try ReportQuery(urlQuery: request.uri.query, report: kind)
                let predicate = try await predicate(query.filter, from: context)
                let maker = ReportMaker(
                    store: store, source: EventSource(store, memory, limits.pages),
                    dictionaries: await daemon.dictionaries().map(\.dictionary), rules: await daemon.rules(),
                    query: query, matching: predicate)
                return try await documents.response(context, predicate.isOnStoredEvents ? .search : .brief) {
                    try APICoding.encode(try await make(maker))
                }
            }
        }
        return [
            endpoint(.undefined, "Events that were sent but are not defined, with similar definitions") {
                try await $0.undefined()
            },
            endpoint(.unseen, "Events that are defined but were never sent") { try await $0.unseen() },
            endpoint(.violations, "Rules that events break, by event and parameter") { try await $0.violations() },
            endpoint(.obsolete, "Obsolete events and parameters, and whether they are still sent") {
                try await $0.obsolete()
            },
            endpoint(.unkeyed, "JSON objects without a key, and what is wrong with the latest of them") {
                try await $0.unkeyed()
            },
            endpoint(.malformed, "Payloads that begin like a JSON object and are not one, and why") {
                try await $0.malformed()
            },
        ]
    }

    private var checklistEndpoints: [Endpoint] {
        let run = APIPath.checklists + "/{run}"
        let unknown = "No such run"
        return [
            Endpoint(
                id: "checklists", tag: .checklists, method: .get, path: APIPath.checklists,
                summary: "The runs of checklists", reply: .json(ChecklistList.object), answer: checklists),
            Endpoint(
                id: "startChecklist", tag: .checklists, method: .post, path: APIPath.checklists,
                summary: "Start a run of a checklist; see docs/checklists.md",
                query: ChecklistQuery.documentation,
                body: (
                    "A list, in the form that `format` says", "text/plain", "items: [recipe_detail/show_screen]", true
                ),
                reply: .json(ChecklistReply.object),
                problems: [
                    403: Self.notByValue, 409: "There is a run with this name, or there are too many",
                    422: "The list has errors, nothing has the names in it, or `since` is in the future",
                ], answer: startChecklist),
            Endpoint(
                id: "checklist", tag: .checklists, method: .get, path: run,
                summary: "What a run has come to", reply: .json(ChecklistReply.object), problems: [404: unknown],
                answer: checklist),
            Endpoint(
                id: "checklistChanges", tag: .checklists, method: .get, path: run + "/changes",
                summary: "What a run comes to: at first and after each change, until the client disconnects",
                reply: .stream(ChecklistLine.stream),
                problems: [404: unknown, 503: "Too many tails; see Retry-After"], answer: checklistChanges),
            Endpoint(
                id: "checklistScope", tag: .checklists, method: .get, path: run + "/scope",
                summary: "What a run looked at, and what it may have missed", reply: .json(ChecklistScope.object),
                problems: [404: unknown, 422: "The run is held"], answer: checklistScope),
            Endpoint(
                id: "resetChecklist", tag: .checklists, method: .post, path: run + "/reset",
                summary: "Count events that are sent from now on, and forget the others",
                reply: .json(ChecklistReply.object), problems: [404: unknown], answer: resetChecklist),
            Endpoint(
                id: "stopChecklist", tag: .checklists, method: .post, path: run + "/stop",
                summary:
                    "Count no events that are sent from now on; those before count if they are read within a day",
                reply: .json(ChecklistReply.object), problems: [404: unknown], answer: stopChecklist),
            Endpoint(
                id: "removeChecklist", tag: .checklists, method: .delete, path: run,
                summary: "Remove a run; the reply is what it had come to", reply: .json(ChecklistReply.object),
                problems: [404: unknown], answer: removeChecklist),
        ]
    }

    private var alertEndpoints: [Endpoint] {
        let alert = APIPath.alerts + "/{alert}"
        let unknown = "No such alert"
        return [
            Endpoint(
                id: "alerts", tag: .alerts, method: .get, path: APIPath.alerts,
                summary: "The alert rules, and what they come to", reply: .json(AlertList.object), answer: alerts),
            Endpoint(
                id: "alertHistory", tag: .alerts, method: .get, path: APIPath.notices,
                summary: "What alerts have sent", query: NoticeQuery.documentation, reply: .json(NoticeList.object),
                answer: alertHistory),
            Endpoint(
                id: "testAlert", tag: .alerts, method: .post, path: alert + "/test",
                summary: "Send a test notice to the notifiers of a rule", reply: .json(AlertReply.object),
                problems: [403: "Not permitted", 404: unknown], needsAdmin: true, answer: testAlert),
            Endpoint(
                id: "silenceAlert", tag: .alerts, method: .post, path: alert + "/silence",
                summary: "Send no notices of a rule until a time, or end that", query: SilenceQuery.documentation,
                reply: .json(AlertReply.object), problems: [403: "Not permitted", 404: unknown], needsAdmin: true,
                answer: silenceAlert),
            Endpoint(
                id: "tryAlert", tag: .alerts, method: .post, path: alert + "/trial",
                summary: "Find out which notices a rule would have sent about stored events, at most 1,000",
                query: TrialQuery.documentation,
                body: (
                    "A rule that is not in the settings, as it would be there", "text/plain",
                    "alerts: [{name: checkout-errors, predicate: level >= error, when: {count: 10, within: 5m}}]", false
                ),
                reply: .json(NoticeList.object),
                problems: [403: Self.notByValue, 404: unknown, 422: "The rule has errors, or no meaning"],
                answer: tryAlert),
        ]
    }
}
