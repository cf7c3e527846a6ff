import FoundationEssentials
package import JSON
package import Model

/// `GET /v1/events/{id}`: an event, its definition and its journal entry.
package struct EventDetail: Sendable, Hashable, DescribedObject {
    /// The result of reading the entry back by its cursor.
    package enum Journal: Sendable, Hashable {
        /// Every field, in the journal's order.
        case fields([JournalField])
        /// The entry is no longer in the journal.
        case gone
        /// The client may not see the fields. The text says which clients may.
        case withheld(String)
        /// The journal could not be read. The text says why.
        case unreadable(String)

        fileprivate enum State: String, CaseIterable { case present, gone, withheld, unreadable }
    }

    package var event: EventLine
    package var source: String
    package var definition: DefinitionReply?
    package var currentVersion: String?
    package var links: [LinkReply] = []
    package var journal: Journal

    package static let object = ObjectDescription(
        "EventDetail", "An event, its definition and its journal entry",
        [
            member("event", \.event, "The event"),
            member(
                "source", \.source, "The rule in the settings' sources that took the entry",
                "subsystem: com.example.*"),
            member("definition", \.definition, "Its current definition; absent if there is none"),
            member(
                "current_version", \.currentVersion,
                "The version of the dictionary in force; absent if the event was resolved with it", "c0ffee00c0ffee00"),
            member("links", \.links, "Where else something about the event is found"),
            member("journal", \.journal, "Its journal entry, found by its cursor"),
        ])
}

extension EventDetail.Journal: DescribedObject {
    package static let object = ObjectDescription(
        "JournalEntry", "The journal entry of an event",
        [
            MemberDescription(
                name: "state", type: .choice(of: State.self),
                text: "Whether the entry could be read", example: .text(State.present.rawValue)),
            MemberDescription(
                name: "message", type: .optional(.text), text: "Why there are no fields", example: nil),
            MemberDescription(
                name: "fields", type: .optional([JournalField].valueType), text: "Every field, in the journal's order",
                example: [JournalField].valueType.example),
        ])
}

extension JournalField: DescribedObject {
    package static let object = ObjectDescription(
        "JournalField", "A field of a journal entry",
        [
            member("name", \.name, "Its name; an entry may have it more than once", "SUBSYSTEM"),
            MemberDescription(
                name: "value", type: .optional(.text), text: "Its value, if that is valid UTF-8",
                example: "com.example.shop"),
            MemberDescription(
                name: "base64", type: .optional(.text), text: "Its value in Base64, if that is not valid UTF-8",
                example: nil),
            MemberDescription(
                name: "cut", type: .optional(.flag), text: "Whether value or base64 is only the beginning of the value",
                example: nil),
        ])
}

/// Writes the JSON of an `EventDetail`: first what the store has, then the journal entry, which may be read in the
/// meantime.
///
/// ```json
/// {"event":{"type":"event",…},"source":"subsystem: com.example.*","definition":{…},"current_version":"…",
///  "links":[{"name":"SQL","url":"https://…"}],
///  "journal":{"state":"present","fields":[{"name":"PRIORITY","value":"5"},{"name":"X","base64":"/w==","cut":true}]}}
/// ```
package struct EventDetailWriter: Sendable {
    private var json = JSONWriter(deferringFrom: JSONPieces.partBytes)

    /// - Throws: `EncodingError`.
    package init(
        _ event: Event, definition: DefinitionReply?, currentVersion: String? = nil, links: [LinkReply] = []
    ) throws {
        json.beginObject()
        json.key("event")
        json.append(event)
        json.member("source", event.origin.source)
        if let definition {
            json.key("definition")
            json.raw(try APICoding.encode(definition))
        }
        if let currentVersion {
            json.member("current_version", currentVersion)
        }
        json.key("links")
        json.raw(try APICoding.encode(links))
    }

    /// Writes the journal entry and the end of the object.
    package mutating func finish(_ journal: EventDetail.Journal) {
        json.key("journal")
        json.append(journal)
        json.endObject()
    }

    /// Returns what was written since the last call.
    package mutating func take() -> JSONPieces { json.take() }
}

extension EventDetail {
    /// - Throws: `StreamLineError`, or `DecodingError` for the definition.
    package static func parse(_ reply: [UInt8]) throws -> EventDetail {
        let object = try WireObject(reply)
        return EventDetail(
            event: try EventLine(try object.object("event")), source: try object.string("source"),
            definition: try object.optionalObject("definition").map { try $0.decode(DefinitionReply.self) },
            currentVersion: try object.optionalString("current_version"),
            links: try object.text("links").map { try APICoding.decode([LinkReply].self, from: Data($0)) } ?? [],
            journal: try Journal(try object.object("journal")))
    }
}

extension EventDetail.Journal {
    fileprivate init(_ object: WireObject) throws(StreamLineError) {
        // A later daemon may know more of them.
        switch State(rawValue: try object.string("state")) ?? .unreadable {
        case .present:
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
        case .gone: self = .gone
        case .withheld: self = .withheld(try object.string("message"))
        case .unreadable: self = .unreadable(try object.string("message"))
        }
    }
}

extension JSONWriter {
    fileprivate mutating func append(_ journal: EventDetail.Journal) {
        func put(_ state: EventDetail.Journal.State, _ message: String? = nil) {
            member("state", state.rawValue)
            guard let message else { return }
            member("message", message)
        }
        beginObject()
        switch journal {
        case .fields(let fields):
            put(.present)
            key("fields")
            beginArray()
            for field in fields { append(field) }
            endArray()
        case .gone: put(.gone, "no longer in the journal")
        case .withheld(let reason): put(.withheld, reason)
        case .unreadable(let reason): put(.unreadable, reason)
        }
        endObject()
    }

    private mutating func append(_ field: JournalField) {
        beginObject()
        member("name", field.name)
        // A cut value may end in the middle of a character.
        var text = field.value
        while field.isCut, !text.isEmpty, field.value.count - text.count < 3, !text.isUTF8 { text.removeLast() }
        if text.isUTF8 {
            member("value", LargeValue(.text, text))
        } else {
            member("base64", LargeValue(.base64, field.value))
        }
        if field.isCut {
            member("cut", true)
        }
        endObject()
    }
}
