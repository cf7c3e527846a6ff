import FoundationEssentials
package import JSON
package import Model

/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`: a definition and its events. In JSON the
/// members of `definition` and of `facts` are members of the object itself, and `example` is an event line.
package struct DefinitionDetail: Sendable, Hashable, DescribedObject {
    package var definition: DefinitionReply
    package var facts: Facts
    package var example: EventLine?

    package init(definition: DefinitionReply, facts: Facts) {
        self.definition = definition
        self.facts = facts
    }

    package static let object = ObjectDescription(
        "DefinitionDetail", "A definition and its events",
        DefinitionReply.object.members + Facts.object.members + [
            member(
                "example", \.example,
                "The newest stored event that matches the definition, or else the newest one that does not")
        ])

    /// What is known of a definition besides what its file says.
    package struct Facts: Sendable, Hashable, Codable, DescribedObject {
        package var version: String
        package var loadedAt: WireTime
        package var state: DefinitionState
        package var usage: DefinitionUse
        package var violations: [ViolationUse]
        package var links: [LinkReply]

        package init(
            version: String, loadedAt: WireTime, state: DefinitionState, usage: DefinitionUse,
            violations: [ViolationUse], links: [LinkReply]
        ) {
            self.version = version
            self.loadedAt = loadedAt
            self.state = state
            self.usage = usage
            self.violations = violations
            self.links = links
        }

        package static let object = ObjectDescription(
            "DefinitionFacts", "What is known of a definition besides what its file says",
            [
                member("version", \.version, "The version of the dictionary in force", "00c0ffee00c0ffee"),
                member("loaded_at", \.loadedAt, "When that version came into force", .earlierExample),
                member("state", \.state, "Whether its events are sent", .seen),
                member("usage", \.usage, "How often its events were sent"),
                member("violations", \.violations, "The rules that its events broke, the most frequent first"),
                member("links", \.links, "Where else something about the definition is found"),
            ])
    }
}

extension DefinitionDetail {
    /// Encodes the reply. The example is written byte by byte, so that the numbers in its payload stay as they were
    /// sent.
    /// - Parameter example: the event of the example; the property `example` is ignored.
    /// - Throws: `EncodingError`.
    package func encode(example event: Event?) throws -> JSONPieces {
        var json = JSONWriter(deferringFrom: JSONPieces.partBytes)
        json.beginObject()
        try json.append(membersOf: definition)
        try json.append(membersOf: facts)
        if let event {
            json.key("example")
            json.append(event)
        }
        json.endObject()
        return json.take()
    }

    /// - Throws: `StreamLineError` for the example, or `DecodingError`.
    package static func parse(_ reply: [UInt8]) throws -> DefinitionDetail {
        let data = Data(reply)
        var detail = DefinitionDetail(
            definition: try APICoding.decode(DefinitionReply.self, from: data),
            facts: try APICoding.decode(Facts.self, from: data))
        detail.example = try WireObject(reply).optionalObject("example").map { example throws(StreamLineError) in
            try EventLine(example)
        }
        return detail
    }
}
