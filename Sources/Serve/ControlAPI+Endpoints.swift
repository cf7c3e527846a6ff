import API
import Hummingbird

extension ControlAPI {
    /// Everything that can be asked.
    var endpoints: [Endpoint] {
        [
            Endpoint(
                method: .get, path: APIPath.status,
                summary: "Version, journal position and lag, counts, sinks, gaps, store size",
                reply: .json(schema: "Status"), answer: status),
            Endpoint(
                method: .get, path: APIPath.events,
                summary: "Events by filter; with follow=true the last n, then live ones until the client leaves",
                query: EventQuery.documentation, reply: .stream,
                problems: [400: "A parameter is wrong", 503: "Too many tails; see Retry-After"], answer: events),
            Endpoint(
                method: .get, path: APIPath.events + "/{id}",
                summary: "One event with its definition and every field of its journal entry",
                reply: .json(schema: "EventDetail"), problems: [404: "No such event"], answer: event),
            Endpoint(
                method: .get, path: APIPath.gaps, summary: "The gap records, oldest first",
                query: GapQuery.documentation, reply: .json(schema: "GapList"),
                problems: [400: "A parameter is wrong"], answer: gaps),
            Endpoint(
                method: .get, path: APIPath.dictionaries, summary: "The dictionaries, in the order of the settings",
                reply: .json(schema: "DictionaryList"), answer: dictionaries),
            Endpoint(
                method: .get, path: APIPath.dictionaries + "/{dictionary}/definitions",
                summary: "All definitions of a dictionary", reply: .json(schema: "DefinitionList"),
                problems: [404: "No such dictionary"], answer: definitions),
            Endpoint(
                method: .get, path: APIPath.dictionaries + "/{dictionary}/definitions/{category}/{name}",
                summary: "One definition with all its parameters", reply: .json(schema: "Definition"),
                problems: [404: "No such dictionary or definition"], answer: definition),
            Endpoint(
                method: .post, path: APIPath.reload,
                summary: "Read settings and dictionaries again, all or nothing",
                reply: .json(schema: "Reload"),
                problems: [403: "Not permitted", 409: "A change needs a restart", 422: "The new settings are wrong"],
                needsAdmin: true, answer: reload),
            Endpoint(
                method: .get, path: APIPath.openAPI, summary: "This document", reply: .document, answer: openAPI),
        ]
    }
}
