import FoundationEssentials
package import JSON
package import Model

/// `GET /v1/dictionaries/{dictionary}/definitions/{category}/{name}`: a definition and its events. In JSON the
/// members of `definition` are members of the object itself, and `example` is an event line.
package struct DefinitionDetail: Sendable, Hashable, DescribedObject {
    package var definition: DefinitionReply
    package var version: String
    package var loadedAt: WireTime
    package var state: DefinitionState
    package var usage: DefinitionUse
    package var violations: [ViolationUse]
    package var links: [LinkReply]
    package var example: EventLine?

    package init(
        definition: DefinitionReply, version: String, loadedAt: WireTime, state: DefinitionState,
        usage: DefinitionUse, violations: [ViolationUse], links: [LinkReply]
    ) {
        self.definition = definition
        self.version = version
        self.loadedAt = loadedAt
        self.state = state
        self.usage = usage
        self.violations = violations
        self.links = links
    }

    package static let object = ObjectDescription(
        "DefinitionDetail", "A definition and its events",
        DefinitionReply.object.members + [
            member("version", \.version, "The version of the dictionary in force", "00c0ffee00c0ffee"),
            member("loaded_at", \.loadedAt, "When that version came into force", .earlierExample),
            member("state", \.state, "Whether its events are sent", .seen),
            member("usage", \.usage, "How often its events were sent"),
            member("violations", \.violations, "The rules that its events broke, the most frequent first"),
            member("links", \.links, "Where else something about the definition is found"),
            member(
                "example", \.example,
                "The newest stored event that matches the definition, or else the newest one that does not"),
        ])
}

extension DefinitionDetail {
    /// Encodes the reply. The example is written byte by byte, so that the numbers in its payload stay as they were
    /// sent.
    /// - Parameter example: the event of the example; the property `example` is ignored.
    /// - Throws: `EncodingError`.
    package func encode(example event: Event?) throws -> JSONPieces {
        let members = Array(try APICoding.encode(Members(self)))
        var json = JSONWriter(deferringFrom: JSONPieces.partBytes)
        json.beginObject()
        for member in try JSONScanner.members(of: members) {
            json.key(String(decoding: members[member.key], as: UTF8.self))
            json.raw(members[member.value])
        }
        if let event {
            json.key("example")
            json.append(event)
        }
        json.endObject()
        return json.take()
    }

    /// - Throws: `StreamLineError` for the example, or `DecodingError`.
    package static func parse(_ reply: [UInt8]) throws -> DefinitionDetail {
        var detail = try APICoding.decode(Members.self, from: Data(reply)).detail
        detail.example = try WireObject(reply).optionalObject("example").map { example throws(StreamLineError) in
            try EventLine(example)
        }
        return detail
    }
}

extension DefinitionDetail {
    /// All members but the example, which does not go through `JSONEncoder`.
    private struct Members: Codable {
        private struct Others: Codable {
            var version: String
            var loadedAt: WireTime
            var state: DefinitionState
            var usage: DefinitionUse
            var violations: [ViolationUse]
            var links: [LinkReply]
        }

        var detail: DefinitionDetail

        init(_ detail: DefinitionDetail) {
            self.detail = detail
        }

        init(from decoder: any Decoder) throws {
            let others = try Others(from: decoder)
            detail = DefinitionDetail(
                definition: try DefinitionReply(from: decoder), version: others.version, loadedAt: others.loadedAt,
                state: others.state, usage: others.usage, violations: others.violations, links: others.links)
        }

        func encode(to encoder: any Encoder) throws {
            try detail.definition.encode(to: encoder)
            try Others(
                version: detail.version, loadedAt: detail.loadedAt, state: detail.state, usage: detail.usage,
                violations: detail.violations, links: detail.links
            ).encode(to: encoder)
        }
    }
}
