package import ArgumentParser
import Model

/// The options that choose what of events is printed.
package struct FieldOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only these, such as time,event,payload.user_id: keys of predicates, payload, uid, cursor, highlighted, parameters. With -o csv, markdown, json, ndjson or cat (separated by tabs).",
            valueName: "fields"))
    package var fields: String?

    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A line of text for each event, such as '{time} {level} {payload.user_id}'. \\t is a tab.",
            valueName: "text"))
    package var template: String?

    package init() {}

    /// Returns what is printed instead of whole events; `nil` for these.
    func selection(_ format: EventFormat, _ zone: Zone) throws(ControlError) -> EventSelection? {
        if let template {
            guard fields == nil, format == .short else {
                throw .wrongUsage("--template says what is printed: it does not go with --fields or -o")
            }
            return .template(try EventTemplate(template), zone)
        }
        let form: EventTable.Form
        switch format {
        case .csv: form = .csv
        case .markdown: form = .markdown
        case .json where fields != nil: form = .json
        case .ndjson where fields != nil: form = .ndjson
        case .cat where fields != nil, .short where fields != nil: form = .tabs
        case .shortISO where fields != nil, .full where fields != nil:
            throw .wrongUsage("--fields goes with -o csv, markdown, json, ndjson or cat")
        case .json, .ndjson, .cat, .short, .shortISO, .full: return nil
        }
        let fields = try EventField.list(self.fields ?? EventField.usual)
        return .table(EventTable(form: form, fields: fields, zone: zone))
    }
}

/// What is printed of events, instead of all.
enum EventSelection {
    case table(EventTable)
    case template(EventTemplate, Zone)
}
