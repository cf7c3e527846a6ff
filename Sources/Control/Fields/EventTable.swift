import API
import JSON
import Model

/// Events as rows of chosen fields.
struct EventTable {
    enum Form { case csv, markdown, ndjson, json, tabs }

    let form: Form
    let fields: [EventField]
    let zone: Zone
    let csv: CSVText

    init(_ form: Form, of fields: [EventField], _ style: Style) {
        (self.form, self.fields, zone, csv) = (form, fields, style.zone, CSVText(style))
    }

    /// What is printed before the first row.
    var heading: [UInt8] {
        switch form {
        case .csv: csv.line(fields.map(\.name))
        case .markdown: Array(MarkdownText.heading(fields.map { MarkdownText.escaped($0.name) }).utf8)
        case .json: Array("[\n".utf8)
        case .ndjson, .tabs: []
        }
    }

    /// What is printed between two rows.
    var separator: String { form == .json ? ",\n" : "" }

    func row(_ event: EventLine) -> [UInt8] {
        switch form {
        case .csv: csv.line(texts(event))
        case .markdown: Array(MarkdownText.row(texts(event).map { MarkdownText.codeInTable($0 ?? "") }).utf8)
        case .tabs: Array((plain(event).joined(separator: "\t") + "\n").utf8)
        case .ndjson: object(event) + [UInt8(ascii: "\n")]
        case .json: object(event)
        }
    }

    private func plain(_ event: EventLine) -> [String] { fields.map { $0.plain(of: event, zone) ?? "" } }

    /// Texts that what prints them makes safe.
    private func texts(_ event: EventLine) -> [String?] {
        fields.map { field in
            switch field.value(of: event, zone) {
            case .text(let text): text
            case .json(let json): String(decoding: json, as: UTF8.self)
            case .list(let texts): texts.joined(separator: ", ")
            case nil: nil
            }
        }
    }

    /// An object with the fields that the event has.
    private func object(_ event: EventLine) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        for field in fields {
            switch field.value(of: event, zone) {
            case .text(let text):
                json.key(field.name)
                json.string(text)
            case .json(let bytes):
                json.key(field.name)
                json.raw(bytes)
            case .list(let texts):
                json.key(field.name)
                json.beginArray()
                for text in texts { json.string(text) }
                json.endArray()
            case nil: break
            }
        }
        json.endObject()
        return json.bytes
    }
}
