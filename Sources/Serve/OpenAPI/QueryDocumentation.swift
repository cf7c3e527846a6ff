import API
import Model
import Predicates

extension FilterParameter {
    var documentation: QueryParameter {
        QueryParameter(
            name: name, description: ([description] + notes).joined(separator: ". "), isList: isList, schema: schema,
            example: self == .pid ? 812 : .text(example))
    }

    private var notes: [String] {
        switch form {
        case .like: ["In a value, * is any text and ? is one character; one of several is enough"]
        case .equal: ["One of several is enough"]
        case .member: ["All of several must match"]
        case .predicate: ["Times without a zone are in UTC. All conditions of a query must hold"]
        case .ordered where isTime:
            [
                """
                RFC 3339, microseconds since 1970, or as in docs/dictionary.md (-5m, today); in UTC if it has no zone
                """
            ]
        case .ordered where self == .level:
            [values?.joined(separator: ", ") ?? "", "Other usual spellings are known, too"]
        case .ordered, .grep: []
        }
    }

    private var schema: DocumentNode {
        switch self {
        case .boot: QueryParameter.text(like: "^[0-9A-Fa-f]{32}$")
        case .pid: QueryParameter.number(0...Int64.max)
        case .where: QueryParameter.text(like: "^\(FilterParameter.namePattern)=")
        case .event: QueryParameter.text(like: "[/*]")
        case .grep: ["type": "string", "minLength": 1]
        case .level, .predicate: ["type": "string"]
        default: values.map(QueryParameter.choice) ?? ["type": "string"]
        }
    }
}

extension EventQuery {
    /// Describes each parameter.
    static var documentation: [QueryParameter] {
        let names = LineMembers.names.joined(separator: "|")
        return FilterParameter.allCases.map(\.documentation) + [
            QueryParameter(
                name: "n",
                description: """
                    The number of events: those that were sent last, ordered by time; \(usualLimit) by default. With all, after or \
                    before, events come in the order in which they were read, and n is the most of them. For a tail: the \
                    number of stored events that come first
                    """, schema: QueryParameter.numberOrAll(Int64(maximumLimit)), example: "10"),
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
            QueryParameter(
                name: "highlight",
                description: "Predicate: lines of events that match it have the member highlighted; it leaves none out",
                schema: ["type": "string", "minLength": 1], example: "level == err"),
            QueryParameter(
                name: "members",
                description: """
                    The members that event lines have, separated by commas; all by default. type and id are always there, and those \
                    without a value never
                    """, schema: QueryParameter.text(like: "^(\(names))(,(\(names)))*$"),
                example: "time,level,event,payload"),
        ]
    }
}

extension StatsQuery {
    static var documentation: [QueryParameter] {
        FilterParameter.allCases.map(\.documentation) + [
            QueryParameter(
                name: "by",
                description: """
                    A key to group events by: one of predicates (docs/predicates.md), or minute, hour, day, week, month; at \
                    most \(GroupKey.most). Without one, all events are one group
                    """, isList: true, schema: ["type": "string", "minLength": 1], example: "event"),
            QueryParameter(
                name: "top", description: "The maximum number of groups; \(usualTop) by default",
                schema: QueryParameter.number(0...Int64(maximumTop)), example: 10),
            QueryParameter(
                name: "of", description: "A parameter whose numbers are summed up for each group",
                schema: ["type": "string", "minLength": 1], example: "payload.position"),
            QueryParameter(
                name: "distinct", description: "A key whose distinct values are counted in each group",
                schema: ["type": "string", "minLength": 1], example: "payload.recipe_id"),
            QueryParameter(
                name: "trend",
                description: "Into how many parts of equal length the range is divided for counts over time",
                schema: QueryParameter.number(0...Int64(maximumTrend)), example: 24),
            QueryParameter(
                name: "histogram",
                description:
                    "Into at most how many ranges with round bounds the numbers of a group are divided; only with of",
                schema: QueryParameter.number(0...Int64(maximumHistogram)), example: 20),
            QueryParameter(
                name: "none",
                description: "Whether events without a value for one of the keys are in groups; true by default",
                schema: QueryParameter.choice(["true", "false"]), example: "false"),
            QueryParameter(
                name: "zone",
                description: "The clock of minute, hour, day, week and month: utc, or local for that of the daemon",
                schema: QueryParameter.choice(ZoneName.allCases.map(\.rawValue)), example: "utc"),
        ]
    }
}

extension SQLQuery {
    static var documentation: [QueryParameter] {
        FilterParameter.allCases.map(\.documentation) + [
            QueryParameter(
                name: "statement", description: "A statement of SQLite that reads: SELECT, WITH, VALUES or EXPLAIN",
                isRequired: true,
                schema: ["type": "string", "minLength": 1, "maxLength": .number(longestStatement / 4)],
                example: "SELECT event, count(*) FROM events GROUP BY event"),
            QueryParameter(
                name: "n", description: "The maximum number of rows, or all; \(usualLimit) by default",
                schema: QueryParameter.numberOrAll(maximumLimit), example: "10"),
            QueryParameter(
                name: "exact",
                description: """
                    Whether parameters in columns of type TEXT have numbers that are no integers as texts, with the digits that \
                    were sent
                    """, schema: QueryParameter.choice(["true", "false"]), example: "false"),
        ]
    }
}

extension TableQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "name", description: "The name of a table; without one, all tables", isList: true,
                schema: ["type": "string", "minLength": 1], example: "events"),
            QueryParameter(
                name: "after", description: "Only tables after this one; see next in the reply",
                schema: ["type": "string", "minLength": 1], example: "events"),
            QueryParameter(
                name: "n", description: "The maximum number of tables; all by default",
                schema: QueryParameter.number(1...Int64(maximumLimit)), example: 100),
        ]
    }
}

extension VerifyQuery {
    static var documentation: [QueryParameter] {
        [
            QueryParameter(
                name: "since",
                description: "Only entries not written before this time: RFC 3339, or microseconds since 1970",
                schema: timeSchema, example: "2026-11-21T01:00:00Z")
        ]
    }

    /// Times of the years 1971 to 9999. In 1970 an offset may lead to a time before the first microsecond.
    static let timeSchema: DocumentNode = {
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
                description: "The maximum number of definitions; \(usualLimit) by default. A page may have fewer",
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
                name: "n", description: "The maximum number of rows; \(usualLimit) by default",
                schema: QueryParameter.number(0...Int64(maximumLimit)), example: 10)
        ]
    }
}

extension ChecklistQuery {
    static var documentation: [QueryParameter] { Name.allCases.map(documentation) }

    private static func documentation(_ name: Name) -> QueryParameter {
        switch name {
        case .name:
            QueryParameter(
                name: name.rawValue, description: "The name of the run, at most 100 bytes (default: that of the list)",
                schema: nameSchema, example: "release-ios")
        case .format:
            QueryParameter(
                name: name.rawValue, description: "The form of the list (default: yaml)",
                schema: QueryParameter.choice(ChecklistFormat.allCases.map(\.rawValue)), example: "yaml")
        case .file:
            QueryParameter(
                name: name.rawValue, description: "What the list's file is called, for messages",
                example: "release.yaml")
        case .since:
            QueryParameter(
                name: name.rawValue,
                description: "Count stored events, too, that were sent from then on (default: the present)",
                schema: VerifyQuery.timeSchema, example: "2026-11-21T01:00:00Z")
        case .predicate:
            QueryParameter(
                name: name.rawValue, description: "Which events it is about, besides what the list says",
                example: "app_version >= 25.4")
        case .user:
            QueryParameter(name: name.rawValue, description: "Only events of this user", example: "42")
        case .device:
            QueryParameter(name: name.rawValue, description: "Only events of this device", example: "pixel-7")
        }
    }

    /// As strict as `Checklist.fault(ofName:)`, but for the length, which a schema counts in characters.
    private static let nameSchema: DocumentNode = {
        let barred = #"/\u0000-\u001f\u007f-\u009f"#
        return [
            "type": "string", "minLength": 1, "maxLength": 100,
            "pattern": .text("^([.]*[^.\(barred)][^\(barred)]*|[.]{3,})$"),
        ]
    }()
}

extension NoticeQuery {
    static let documentation = [
        QueryParameter(
            name: "alert", description: "Only notices of this alert (default: all)", example: "checkout-errors"),
        QueryParameter(
            name: "before", description: "Only notices before the one with this id; see next in the reply",
            schema: QueryParameter.number(0...Int64.max), example: 12),
        QueryParameter(
            name: "n", description: "The most notices on a page (default: \(usualLimit))",
            schema: QueryParameter.number(1...Int64(maximumLimit)), example: 10),
    ]
}

extension SilenceQuery {
    static let documentation = [
        QueryParameter(
            name: "until", description: "Until when; without it, silence ends", schema: VerifyQuery.timeSchema,
            example: "2026-11-21T01:00:00Z")
    ]
}

extension TrialQuery {
    static let documentation = [
        QueryParameter(
            name: "since", description: "From when on (default: a day ago)", schema: VerifyQuery.timeSchema,
            example: "2026-11-21T01:00:00Z"),
        QueryParameter(
            name: "file", description: "What the file with the rules is called, for messages",
            example: "alerts.yaml"),
    ]
}
