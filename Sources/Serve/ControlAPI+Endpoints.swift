import API
import Hummingbird

extension ControlAPI {
    /// Everything that can be asked.
    var endpoints: [Endpoint] { daemonEndpoints + eventEndpoints + dictionaryEndpoints + reportEndpoints }

    private static let unprocessable = """
        What no schema can say: grep is no regular expression, no definition names a user or device, or parameters \
        exclude each other
        """
    private static let notByValue = "Values that are stored as hashes may not be asked for"

    private var daemonEndpoints: [Endpoint] {
        [
            Endpoint(
                id: "status", tag: .daemon, method: .get, path: APIPath.status,
                summary: "Version, journal position and lag, counts, sinks, gaps, store size",
                reply: .json(StatusReply.object), answer: status),
            Endpoint(
                id: "verify", tag: .daemon, method: .get, path: APIPath.verify,
                summary: "Hold the store against the journal as it is, entry by entry; the last line has the result",
                query: VerifyQuery.documentation, reply: .stream(VerificationLine.stream),
                problems: [503: "Another verification is running; see Retry-After"], answer: verify),
            Endpoint(
                id: "reload", tag: .daemon, method: .post, path: APIPath.reload,
                summary: "Read settings and dictionaries again, all or nothing",
                reply: .json(ReloadReply.object),
                problems: [
                    403: "Not permitted", 409: "A change needs a restart",
                    422: "The new settings or definitions are wrong",
                ],
                needsAdmin: true, answer: reload),
            Endpoint(
                id: "openAPI", tag: .daemon, method: .get, path: APIPath.openAPI, summary: "This document",
                reply: .document, answer: openAPI),
        ]
    }
    private var eventEndpoints: [Endpoint] {
        [
            Endpoint(
                id: "events", tag: .events, method: .get, path: APIPath.events,
                summary: "Events by filter; with follow=true the last n, then live ones until the client leaves",
                query: EventQuery.documentation, reply: .stream(StreamLine.stream),
                problems: [
                    403: Self.notByValue, 422: Self.unprocessable, 503: "Too many tails; see Retry-After",
                ], answer: events),
            Endpoint(
                id: "event", tag: .events, method: .get, path: APIPath.events + "/{id}",
                summary: """
                    One event with its definition and, for those who may read the journal, every field of its journal entry
                    """,
                reply: .json(EventDetail.object), problems: [404: "No such event"], answer: event),
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
                summary: "The definitions of a dictionary, and whether their events come",
                query: DefinitionQuery.documentation, reply: .json(DefinitionList.object),
                problems: [404: "No such dictionary", 422: "No such definition to begin after, or no longer"],
                answer: definitions),
            Endpoint(
                id: "definition", tag: .dictionaries, method: .get, path: dictionary + "/definitions/{category}/{name}",
                summary: "One definition with all its parameters, and what is known of its events",
                reply: .json(DefinitionDetail.object), problems: [404: "No such dictionary or definition"],
                answer: definition),
            Endpoint(
                id: "versions", tag: .dictionaries, method: .get, path: dictionary + "/versions",
                summary: "The contents that a dictionary had, newest first",
                reply: .json(DictionaryVersionList.object), problems: [404: "No such dictionary"],
                answer: versions),
            Endpoint(
                id: "version", tag: .dictionaries, method: .get, path: dictionary + "/versions/{version}",
                summary: "The files of one version",
                reply: .json(DictionaryFiles.object),
                problems: [404: "No such dictionary, or the version's files are not kept"], answer: version),
        ]
    }

    private var reportEndpoints: [Endpoint] {
        func report<Row: ReportRow>(
            _ kind: ReportKind, of row: Row.Type, _ summary: String,
            _ answer: @escaping @Sendable (Request, ControlContext) async throws -> Response
        ) -> Endpoint {
            Endpoint(
                id: "\(kind.rawValue)Report", tag: .reports, method: .get, path: APIPath.report(kind), summary: summary,
                query: ReportQuery.documentation(kind),
                reply: .json(Report<Row>.object, showing: ["report": .text(kind.rawValue)]),
                problems: [403: Self.notByValue, 422: Self.unprocessable], answer: answer)
        }
        return [
            report(
                .undefined, of: UndefinedRow.self, "What was sent, but is not defined, and what it looks like",
                undefined),
            report(.unseen, of: UnseenRow.self, "What is defined, but was never sent", unseen),
            report(.violations, of: ViolationRow.self, "Which rules are broken, by event and parameter", violations),
            report(.obsolete, of: ObsoleteRow.self, "What is marked obsolete, and whether it is still sent", obsolete),
            report(
                .unkeyed, of: KeylessRow.self, "JSON objects without a key, and what is wrong with the latest", unkeyed),
            report(
                .malformed, of: KeylessRow.self, "What begins like a JSON object and is none, and why not", malformed),
        ]
    }
}
