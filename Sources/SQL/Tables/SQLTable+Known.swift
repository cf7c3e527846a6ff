import Model
import Store

extension SQLTable {
    /// The tables that there are whatever is defined.
    static func known(_ names: RoleNames) -> [SQLTable] { [events(names), violations, warnings, gaps] }

    /// Where payloads have users and devices.
    struct RoleNames {
        var user: Set<ExactString> = []
        var device: Set<ExactString> = []
    }

    private static func events(_ names: RoleNames) -> SQLTable {
        var columns: [SQLColumn] = [
            SQLColumn("id", .integer, "Its number in this store, in the order in which events were read", .id),
            SQLColumn("uid", .text, "Its identity, the same whenever the store is rebuilt", .uid),
            SQLColumn("time", .text, "When it was sent, in UTC: 2026-11-21 10:00:00.123456", .time),
        ]
        columns += SQLColumn.units(of: "time")
        columns += [
            SQLColumn("program_time", .text, "When it happened, by the program itself", .programTime),
            SQLColumn(
                "level", .text,
                "How severe it is, by the program if it says so, else by the journal; level >= 'err' are crit and so on, too",
                .level),
            SQLColumn("priority", .integer, "The level as a number: 0 for emerg, 3 for err, 7 for debug", .priority),
            SQLColumn("journal_level", .text, "The level that journald has for it", .journalLevel),
            SQLColumn("program_level", .text, "The level that the program itself says", .programLevel),
        ]
        columns += SenderField.allCases.map { field in
            let isNumber = field.type == .number
            return SQLColumn(
                field.name, isNumber ? .integer : .text, field.description,
                isNumber ? .number(.sender(field)) : .text(.sender(field)))
        }
        columns += [
            SQLColumn("pid", .integer, "The sender's process id", .pid),
            SQLColumn("boot_id", .text, "The boot in which it was sent", .text(.boot)),
            SQLColumn("event", .text, "Its key, CATEGORY/NAME; undefined events have one, too", .text(.event)),
            SQLColumn("event_category", .text, "The first part of its key", .text(.eventCategory)),
            SQLColumn("event_name", .text, "The second part of its key", .text(.eventName)),
            SQLColumn("resolution", .text, "What resolving its payload resulted in", .text(.resolution)),
            SQLColumn("dictionary", .text, "The dictionary that covers it", .text(.dictionary)),
            SQLColumn(
                "definitions_version", .text, "The version of the dictionary that it was resolved with",
                .text(.definitions)),
            SQLColumn("violations", .integer, "How many rules of its definition it breaks", .violations),
            SQLColumn("warnings", .integer, "How many warnings it has", .warnings),
            SQLColumn("reason", .text, "Why it is malformed, or undefined although there is a definition", .reason),
        ]
        if !names.user.isEmpty { columns.append(role("user", names.user)) }
        if !names.device.isEmpty { columns.append(role("device", names.device)) }
        columns += [
            SQLColumn("payload", .text, "Its payload as it was sent, a JSON object", .payload),
            SQLColumn(
                "message", .text,
                "The text of an event without a payload, or that the payload was taken from; "
                    + "NULL for events whose entry is a JSON payload: search payload, too",
                .message),
        ]
        return SQLTable(
            name: "events", description: "All stored events", columns: columns, content: .stored(.events, .everything))
    }

    private static func role(_ name: String, _ names: Set<ExactString>) -> SQLColumn {
        SQLColumn(
            name, .text, "The value of a parameter with the role \(name)",
            .parameter(Predicate.ParameterPath(names: names), isObject: false))
    }

    /// What tables of findings say about the event.
    private static let ofEvent =
        [
            SQLColumn("id", .integer, "The number of the event, events.id", .id),
            SQLColumn("time", .text, "When the event was sent, in UTC", .time),
        ] + SQLColumn.units(of: "time") + [
            SQLColumn("event", .text, "The key of the event, CATEGORY/NAME", .text(.event)),
            SQLColumn("dictionary", .text, "The dictionary that covers it", .text(.dictionary)),
            SQLColumn("subsystem", .text, "Its subsystem", .text(.sender(.subsystem))),
            SQLColumn("category", .text, "Its category", .text(.sender(.category))),
        ]

    private static let violations = SQLTable(
        name: "violations", description: "The rules that stored events break, one in each row",
        columns: ofEvent + [
            SQLColumn("rule", .text, "The rule", .rule),
            SQLColumn("parameter", .text, "The parameter that breaks it", .subject),
            SQLColumn("expected", .text, "What the definition expects", .expected),
            SQLColumn("found", .text, "What the payload has, never the value", .found),
        ], content: .stored(.violations, .text(.violationRule, .exists)))

    private static let warnings = SQLTable(
        name: "warnings", description: "What else there is to say about stored events, one thing in each row",
        columns: ofEvent + [
            SQLColumn("rule", .text, "The kind of warning", .rule),
            SQLColumn("parameter", .text, "The parameter that it is about", .subject),
        ], content: .stored(.warnings, .text(.warningRule, .exists)))

    private static let gaps = SQLTable(
        name: "gaps", description: "Places where entries or events are missing",
        columns: [
            SQLColumn("id", .integer, "The number of the gap record"),
            SQLColumn("after", .integer, "The event before the gap, events.id; 0 if it is before the first"),
            SQLColumn("cause", .text, "Why something is missing"),
            SQLColumn("time", .text, "When the gap was found, in UTC", collation: .time),
            SQLColumn("count", .integer, "How many entries or events are missing, if that is known"),
            SQLColumn("certainty", .text, "Whether count is exact or an upper bound"),
            SQLColumn("from_cursor", .text, "The journal's cursor of the last entry before the gap"),
            SQLColumn("to_cursor", .text, "The journal's cursor of the first entry after the gap"),
            SQLColumn("file", .text, "The journal file of which a part could not be read"),
            SQLColumn("message", .text, "The gap as a sentence"),
        ], content: .gaps)

    /// For exports: one scan reads the events of many definitions. No definition's table has such a name.
    static let definitionRows = SQLTable(
        name: "gloss_rows",
        description: "The rows of the tables of definitions whose names are in the statement",
        columns: [
            SQLColumn("id", .integer, "The number of the event, events.id", .id),
            SQLColumn("table_name", .text, "The table"),
            SQLColumn("cells", .text, "The values of its columns, a JSON array"),
        ], content: .definitionRows)

    /// The rows of `gaps`.
    static func rows(_ gaps: [GapRecord]) -> [[SQLValue]] {
        gaps.map { record in
            let gap = record.gap
            return [
                .integer(record.id), .integer(record.afterEventID), .text(gap.cause.rawValue),
                .text(SQLTime.text(Int64(clamping: gap.realtimeMicroseconds))),
                SQLValue(gap.count.map { Int64(clamping: $0) }), .text(gap.certainty.rawValue),
                SQLValue(gap.from?.description), SQLValue(gap.to?.description), SQLValue(gap.part?.path),
                .text(gap.message),
            ]
        }
    }
}
