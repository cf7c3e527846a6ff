import API
import Model

extension EventQuery {
    /// What each parameter means.
    static var documentation: [QueryParameter] {
        let time = "RFC 3339, or microseconds since 1970; inclusive"
        return [
            QueryParameter(name: "subsystem", description: "Glob on the subsystem; any of several", isList: true),
            QueryParameter(name: "category", description: "Glob on the category; any of several", isList: true),
            QueryParameter(
                name: "event", description: "Glob on CATEGORY/NAME of the event; any of several", isList: true),
            QueryParameter(
                name: "level", description: "This level or a more severe one", values: Level.allCases.map(\.name)),
            QueryParameter(name: "since", description: "Not before this time: \(time)"),
            QueryParameter(name: "until", description: "Not after this time: \(time)"),
            QueryParameter(name: "boot", description: "Boot id, 32 hexadecimal digits; any of several", isList: true),
            QueryParameter(
                name: "resolution", description: "Any of several", isList: true,
                values: Resolution.allCases.map(\.rawValue)),
            QueryParameter(
                name: "user", description: "Value of a parameter that its definition calls user; any of several",
                isList: true),
            QueryParameter(
                name: "device", description: "Value of a parameter that its definition calls device; any of several",
                isList: true),
            QueryParameter(
                name: "parameter", description: "NAME=VALUE of a member of the payload; all of several must hold",
                isList: true),
            QueryParameter(name: "grep", description: "Regular expression on the text of the payload or message"),
            QueryParameter(
                name: "n",
                description: """
                    How many events at most, or all; 100 by default. Of a tail: how many of those there come first
                    """),
            QueryParameter(
                name: "order",
                description: "Which come first, and are kept when there are more than n; newest by default",
                values: Order.allCases.map(\.rawValue)),
            QueryParameter(
                name: "after",
                description: "Only events after the one with this id; a tail goes on there, and n does not count then"),
            QueryParameter(name: "before", description: "Only events before the one with this id"),
            QueryParameter(name: "follow", description: "A tail, oldest first", values: ["true", "false"]),
        ]
    }
}

extension GapQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "after", description: "Only records after the one with this id; see next in the reply"),
            QueryParameter(name: "n", description: "How many at most; 1000 by default, and no more than that"),
        ]
    }
}

extension DefinitionQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "search",
                description: """
                    Words that all must occur, in any case: in the names, descriptions and allowed values of event and \
                    parameters. Categories and common parameters are found by themselves: see matches and common_matches
                    """),
            QueryParameter(
                name: "state", description: "Only definitions in this state",
                values: DefinitionState.allCases.map(\.rawValue)),
            QueryParameter(
                name: "n",
                description: "How many at most; 1000 by default, \(maximumLimit) at most. A page may have fewer"),
            QueryParameter(
                name: "after",
                description: "Only what comes after CATEGORY/NAME, or after CATEGORY/; see next in the reply"),
        ]
    }
}

extension ReportQuery {
    static func documentation(_ report: ReportKind) -> [QueryParameter] {
        let names = parameterNames(report)
        return EventQuery.documentation.filter { names.contains($0.name) && $0.name != "n" } + [
            QueryParameter(
                name: "n", description: "How many rows at most; 1000 by default, \(maximumLimit) at most")
        ]
    }
}
