import API
import Model

extension EventQuery {
    /// What each parameter means.
    static var documentation: [QueryParameter] {
        let time = "RFC 3339, or microseconds since 1970; inclusive"
        return [
            QueryParameter(
                name: "subsystem", description: "Glob on the subsystem; any of several", isList: true,
                example: "com.example.*"),
            QueryParameter(
                name: "category", description: "Glob on the category; any of several", isList: true,
                example: "ActivityLog"),
            QueryParameter(
                name: "event", description: "Glob on CATEGORY/NAME of the event; any of several", isList: true,
                schema: QueryParameter.text(like: "/"), example: "recipe_detail/*"),
            QueryParameter(
                name: "level", description: "This level or a more severe one, by name or number",
                schema: QueryParameter.choice(Level.allCases.flatMap { [$0.name, String($0.rawValue)] }),
                example: "warning"),
            QueryParameter(
                name: "since", description: "Not before this time: \(time)", schema: timeSchema,
                example: "2026-11-21T01:00:00Z"),
            QueryParameter(
                name: "until", description: "Not after this time: \(time)", schema: timeSchema,
                example: "2026-11-21T02:00:00.5+01:00"),
            QueryParameter(
                name: "boot", description: "Boot id, 32 hexadecimal digits; any of several", isList: true,
                schema: QueryParameter.text(like: "^[0-9A-Fa-f]{32}$"), example: "11112222333344445555666677778888"),
            QueryParameter(
                name: "unit", description: "Glob on the systemd unit of the sender; any of several", isList: true,
                example: "shop.service"),
            QueryParameter(
                name: "identifier", description: "Glob on the syslog identifier of the sender; any of several",
                isList: true, example: "shop"),
            QueryParameter(
                name: "host", description: "Glob on the name of the sender's host; any of several", isList: true,
                example: "web*"),
            QueryParameter(
                name: "pid", description: "Process id of the sender; any of several", isList: true,
                schema: QueryParameter.number(0...Int64(Int32.max)), example: 812),
            QueryParameter(
                name: "resolution", description: "Any of several", isList: true,
                schema: QueryParameter.choice(Resolution.allCases.map(\.rawValue)), example: "violating"),
            QueryParameter(
                name: "user", description: "Value of a parameter that its definition calls user; any of several",
                isList: true, example: "42"),
            QueryParameter(
                name: "device", description: "Value of a parameter that its definition calls device; any of several",
                isList: true, example: "d1"),
            QueryParameter(
                name: "parameter", description: "NAME=VALUE of a member of the payload; all of several must hold",
                isList: true, schema: QueryParameter.text(like: "^\(ParameterCondition.namePattern)="),
                example: "recipe_id=42"),
            QueryParameter(
                name: "grep", description: "Regular expression on the text of the payload or message",
                schema: ["type": "string", "minLength": 1], example: "recipe_id\":[0-9]+"),
            QueryParameter(
                name: "n",
                description: """
                    How many events: those that were sent last, in the order of time; 100 by default. With all, or with after or \
                    before, they are in the order of arrival, and n is how many there are at most. Of a tail: how many of those \
                    there come first
                    """, schema: QueryParameter.text(like: "^(all|[0-9]{1,15})$"), example: "10"),
            QueryParameter(
                name: "order",
                description: "Which come first; newest by default",
                schema: QueryParameter.choice(Order.allCases.map(\.rawValue)), example: "oldest"),
            QueryParameter(
                name: "after",
                description: "Only events after the one with this id; a tail goes on there, and n does not count then",
                schema: QueryParameter.number(0...Int64.max), example: 1),
            QueryParameter(
                name: "before", description: "Only events before the one with this id",
                schema: QueryParameter.number(0...Int64.max), example: 3),
            QueryParameter(
                name: "follow",
                description:
                    "A tail, oldest first. before, until, order=newest and n=all do not go with it",
                schema: QueryParameter.choice(["true", "false"]), example: "false"),
            QueryParameter(
                name: "late",
                description: """
                    Of a tail: whether events are shown that come while it runs and were sent before it began, as a file that \
                    is read late brings them. Without it, lines of type late count them
                    """, schema: QueryParameter.choice(["true", "false"]), example: "false"),
        ]
    }

    /// Of the years 1971 to 9999; in 1970 an offset may lead to before the first microsecond.
    fileprivate static let timeSchema: DocumentNode = {
        let year = "(197[1-9]|19[89][0-9]|[2-9][0-9]{3})"
        let leapYear = "(19(7[26]|8[048]|9[26])|[2-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)"
        let days = """
            (\(year)-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|\
            02-(0[1-9]|1[0-9]|2[0-8]))|\(leapYear)-02-29)
            """
        let time = "([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)([.][0-9]+)?"
        let offset = "([Zz]|[-+ ]([01][0-9]|2[0-3]):[0-5][0-9])"
        return QueryParameter.text(like: "^([0-9]{1,19}|\(days)[Tt ]\(time)\(offset))$")
    }()
}

extension VerifyQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "since",
                description: "Only entries from then on: RFC 3339, or microseconds since 1970; inclusive",
                schema: EventQuery.timeSchema, example: "2026-11-21T01:00:00Z")
        ]
    }
}

extension GapQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "after", description: "Only records after the one with this id; see next in the reply",
                schema: QueryParameter.number(0...Int64.max), example: 0),
            QueryParameter(
                name: "n", description: "How many at most; \(maximumLimit) by default",
                schema: QueryParameter.number(1...Int64(maximumLimit)), example: 10),
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
                    """, schema: searchSchema, example: "recipe save"),
            QueryParameter(
                name: "state", description: "Only definitions in this state",
                schema: QueryParameter.choice(DefinitionState.allCases.map(\.rawValue)), example: "seen"),
            QueryParameter(
                name: "n",
                description: "How many at most; 1000 by default. A page may have fewer",
                schema: QueryParameter.number(0...Int64(maximumLimit)), example: 10),
            QueryParameter(
                name: "after",
                description: "Only what comes after CATEGORY/NAME, or after CATEGORY/; see next in the reply",
                schema: QueryParameter.text(like: "/"), example: "recipe_detail/"),
        ]
    }

    private static let searchSchema: DocumentNode = {
        // Unicode's white space, written out: what \s means differs from one validator to another.
        let space = #"[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"#
        let other = space.replacing("[", with: "[^")
        return [
            "type": "string", "maxLength": .number(maximumSearch.characters),
            "pattern": .text("^\(space)*\(other)+(\(space)+\(other)+){0,\(maximumSearch.words - 1)}\(space)*$"),
        ]
    }()
}

extension ReportQuery {
    static func documentation(_ report: ReportKind) -> [QueryParameter] {
        let names = parameterNames(report)
        return EventQuery.documentation.filter { names.contains($0.name) && $0.name != "n" } + [
            QueryParameter(
                name: "n", description: "How many rows at most; 1000 by default",
                schema: QueryParameter.number(0...Int64(maximumLimit)), example: 10)
        ]
    }
}
