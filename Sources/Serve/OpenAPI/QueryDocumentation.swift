import API
import Model

extension EventQuery {
    /// Describes each parameter.
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
                name: "program_since",
                description: "Earliest time that the program itself gives, inclusive; in the forms of since",
                schema: timeSchema, example: "2026-11-21T01:00:00Z"),
            QueryParameter(
                name: "program_until", description: "Latest time that the program itself gives, inclusive",
                schema: timeSchema, example: "2026-11-21T02:00:00Z"),
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
                name: "user", description: "Value of a parameter with the role user; any of several",
                isList: true, example: "42"),
            QueryParameter(
                name: "device", description: "Value of a parameter with the role device; any of several",
                isList: true, example: "d1"),
            QueryParameter(
                name: "where",
                description: """
                    NAME=VALUE of a member of the payload, nested ones by their path (device.os=17.1); all of several must \
                    match
                    """,
                isList: true, schema: QueryParameter.text(like: "^\(ParameterCondition.namePattern)="),
                example: "recipe_id=42"),
            QueryParameter(
                name: "grep",
                description: """
                    Regular expression (PCRE2) on the text of the payload or message; case makes no difference unless it \
                    has an upper-case letter
                    """,
                schema: ["type": "string", "minLength": 1], example: "recipe_id\":[0-9]+"),
            QueryParameter(
                name: "predicate",
                description: """
                    Predicate; docs/predicates.md has the language. Times without a zone are in UTC. All conditions of a \
                    query must hold
                    """,
                schema: ["type": "string", "minLength": 1], example: "level == err"),
            QueryParameter(
                name: "n",
                description: """
                    The number of events: those that were sent last, ordered by time; 100 by default. With all, after or \
                    before, events come in the order in which they were read, and n is the most of them. For a tail: the \
                    number of stored events that come first
                    """, schema: QueryParameter.text(like: "^(all|[0-9]{1,15})$"), example: "10"),
            QueryParameter(
                name: "order",
                description: "Which events come first; newest by default",
                schema: QueryParameter.choice(Order.allCases.map(\.rawValue)), example: "oldest"),
            QueryParameter(
                name: "after",
                description: "Only events after the one with this id; a tail continues there and ignores n",
                schema: QueryParameter.number(0...Int64.max), example: 1),
            QueryParameter(
                name: "before", description: "Only events before the one with this id",
                schema: QueryParameter.number(0...Int64.max), example: 3),
            QueryParameter(
                name: "follow",
                description:
                    "A tail, oldest first; before, until, order=newest and n=all cannot be used with it",
                schema: QueryParameter.choice(["true", "false"]), example: "false"),
            QueryParameter(
                name: "late",
                description: """
                    For a tail: whether it includes events that were sent before it began and are read while it runs, from \
                    a journal file that is read late. Without it, lines of type late count them
                    """, schema: QueryParameter.choice(["true", "false"]), example: "false"),
        ]
    }

    /// Times of the years 1971 to 9999. In 1970 an offset may lead to a time before the first microsecond.
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
                description: "Only entries not written before this time: RFC 3339, or microseconds since 1970",
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
                name: "n", description: "The maximum number of records; \(maximumLimit) by default",
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
                    Words that must all occur, in upper or lower case, in the names, descriptions and allowed values of an \
                    event and its parameters. Categories and common parameters are also found on their own: see matches and \
                    common_matches
                    """, schema: searchSchema, example: "recipe save"),
            QueryParameter(
                name: "state", description: "Only definitions in this state",
                schema: QueryParameter.choice(DefinitionState.allCases.map(\.rawValue)), example: "seen"),
            QueryParameter(
                name: "n",
                description: "The maximum number of definitions; 1000 by default. A page may have fewer",
                schema: QueryParameter.number(0...Int64(maximumLimit)), example: 10),
            QueryParameter(
                name: "after",
                description: "Only definitions after CATEGORY/NAME, or after CATEGORY/; see next in the reply",
                schema: QueryParameter.text(like: "/"), example: "recipe_detail/"),
        ]
    }

    private static let searchSchema: DocumentNode = {
        // The white space of Unicode, listed here since the meaning of \s differs between validators.
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
                name: "n", description: "The maximum number of rows; 1000 by default",
                schema: QueryParameter.number(0...Int64(maximumLimit)), example: 10)
        ]
    }
}
