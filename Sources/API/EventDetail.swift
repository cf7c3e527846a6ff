import FoundationEssentials
package import JSON
package import Model

/// `GET /v1/events/{id}`: one event and what is known around it.
package struct EventDetail: Sendable, Hashable {
    /// What came of reading the entry back by its cursor.
    package enum Journal: Sendable, Hashable {
        /// Every field, in the order of the journal.
        case fields([JournalField])
        /// The entry is no longer in the journal.
        case gone
        /// The client may not see the fields, and who may.
        case withheld(String)
        /// The journal could not be asked, and why.
        case unreadable(String)
    }

    package var event: EventLine
    /// Which of the settings' `sources` took the entry.
    package var source: String
    /// The event's definition as it is now; `nil` where there is none.
    package var definition: DefinitionReply?
    /// The dictionary's version in force, where it is another than the one that the event was resolved with.
    package var currentVersion: String?
    package var links: [LinkReply]
    package var journal: Journal

    package init(
        event: EventLine, source: String, definition: DefinitionReply?, currentVersion: String? = nil,
        links: [LinkReply] = [], journal: Journal
    ) {
        self.event = event
        self.source = source
        self.definition = definition
        self.currentVersion = currentVersion
        self.links = links
        self.journal = journal
    }
}

/// Writes an `EventDetail`: the event and what is known of it, then what the journal has, which may be read meanwhile.
///
/// ```json
/// {"event":{"type":"event",…},"source":"subsystem: com.example.*","definition":{…},"current_version":"…",
///  "links":[{"name":"SQL","url":"https://…"}],
///  "journal":{"state":"present","fields":[{"name":"PRIORITY","value":"5"},{"name":"X","base64":"/w==","cut":true}]}}
/// ```
/// `event` is what a line of `/v1/events` is. `definition` is `null` where there is none. `current_version` is left out
/// where the event was resolved with it. `cut` is there where the journal has more of a value. `journal.state` is
/// `present`, `gone`, `withheld` or `unreadable`, those but the first with a `message`.
package struct EventDetailWriter: Sendable {
    private var json = JSONWriter(keepingFrom: JSONPieces.partBytes)

    /// - Throws: `EncodingError`.
    package init(
        _ event: Event, definition: DefinitionReply?, currentVersion: String? = nil, links: [LinkReply] = []
    ) throws {
        json.beginObject()
        json.key("event")
        json.append(event)
        json.key("source")
        json.string(event.origin.source)
        json.key("definition")
        if let definition { json.raw(try APICoding.encode(definition)) } else { json.null() }
        if let currentVersion {
            json.key("current_version")
            json.string(currentVersion)
        }
        json.key("links")
        json.raw(try APICoding.encode(links))
    }

    /// Ends it.
    package mutating func finish(_ journal: EventDetail.Journal) {
        json.key("journal")
        json.append(journal)
        json.endObject()
    }

    /// What was written since the last time.
    package mutating func take() -> JSONPieces { json.take() }
}

extension EventDetail {
    /// - Throws: `StreamLineError`, or `DecodingError` for the definition.
    package static func parse(_ reply: [UInt8]) throws -> EventDetail {
        let object = try WireObject(reply)
        let definition = try object.optionalObject("definition").flatMap { _ in object.text("definition") }
        return EventDetail(
            event: try EventLine(try object.object("event")), source: try object.string("source"),
            definition: try definition.map { try APICoding.decode(DefinitionReply.self, from: Data($0)) },
            currentVersion: try object.optionalString("current_version"),
            links: try object.text("links").map { try APICoding.decode([LinkReply].self, from: Data($0)) } ?? [],
            journal: try Journal(try object.object("journal")))
    }
}

extension EventDetail.Journal {
    fileprivate init(_ object: WireObject) throws(StreamLineError) {
        switch try object.string("state") {
        case "present":
            self = .fields(
                try object.objects("fields").map { field throws(StreamLineError) in
                    let name = try field.string("name")
                    let isCut = field.text("cut") != nil
                    if let base64 = try field.optionalString("base64") {
                        return JournalField(
                            name: name, value: Array(Data(base64Encoded: base64) ?? Data()), isCut: isCut)
                    }
                    return JournalField(name: name, value: Array(try field.string("value").utf8), isCut: isCut)
                })
        case "gone": self = .gone
        case "withheld": self = .withheld(try object.string("message"))
        default: self = .unreadable(try object.string("message"))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ journal: EventDetail.Journal) {
        beginObject()
        key("state")
        switch journal {
        case .fields(let fields):
            string("present")
            key("fields")
            beginArray()
            for field in fields { append(field) }
            endArray()
        case .gone:
            string("gone")
            key("message")
            string("no longer in the journal")
        case .withheld(let reason):
            string("withheld")
            key("message")
            string(reason)
        case .unreadable(let reason):
            string("unreadable")
            key("message")
            string(reason)
        }
        endObject()
    }

    private mutating func append(_ field: JournalField) {
        beginObject()
        key("name")
        string(field.name)
        // What was cut may end in the middle of a character.
        var text = field.value
        while field.isCut, !text.isEmpty, field.value.count - text.count < 3, !text.isUTF8 { text.removeLast() }
        if text.isUTF8 {
            key("value")
            value(LargeValue(.text, text))
        } else {
            key("base64")
            value(LargeValue(.base64, field.value))
        }
        if field.isCut {
            key("cut")
            bool(true)
        }
        endObject()
    }
}
