import Foundation
import Model
import Testing

@testable import API

struct DefinitionDetailTests {
    private static let dictionary = EventDictionary(
        options: DictionaryOptions(name: "shop", path: "/d"), version: "v", common: [],
        categories: [
            DefinitionCategory(
                name: "search", title: nil, description: "", parameters: [],
                definitions: [
                    Definition(
                        key: EventKey(category: "search", name: "run"), description: "", isObsolete: false,
                        parameters: [
                            Parameter(
                                name: "order", type: .string(), privacy: .hash, allowedValues: ["new", "popular"],
                                role: .user)
                        ], line: 3)
                ])
        ])

    private func detail() throws -> DefinitionDetail {
        let definition = try #require(
            DefinitionReply(EventKey(category: "search", name: "run"), in: Self.dictionary))
        return DefinitionDetail(
            definition: definition, version: "v", loadedAt: WireTime(microseconds: 1), state: .seen,
            usage: DefinitionUse(total: ["resolved": 3], day: [:], week: ["resolved": 1]),
            violations: [
                ViolationUse(parameter: "order", rule: "value", count: 2, lastSeen: WireTime(microseconds: 5))
            ],
            links: [LinkReply(name: "SQL", url: "https://example.com/a?b=c")])
    }

    @Test func `the example's numbers are those that were sent`() throws {
        let payload = #"{"event_name":"run","n":12345678901234567890.10,"e":1E400,"z":-0}"#
        let event = SampleEvent.event(resolution: .resolved, payload: payload)
        let bytes = Array(try detail().encode(example: event).joined())
        #expect(String(decoding: bytes, as: UTF8.self).contains(#""payload":\#(payload)"#))
        #expect(try DefinitionDetail.parse(bytes).example?.content == .payload(Array(payload.utf8)))
    }

    @Test func `the definition's members stand beside the others`() throws {
        let bytes = Array(try detail().encode(example: nil).joined())
        let object = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(
            Set(object.keys) == [
                "dictionary", "category", "name", "description", "category_description", "obsolete", "parameters",
                "category_parameters", "common_parameters", "extra_parameters", "sent_as", "types", "source", "key",
                "version", "loaded_at", "state", "usage",
                "violations", "links",
            ])
        #expect(try DefinitionDetail.parse(bytes) == detail())
    }

    @Test func `annotations of a parameter are members of it`() throws {
        let parameter = try #require(try detail().definition.parameters.first)
        #expect(parameter.privacy == "hash")
        #expect(parameter.role == "user")
        #expect(parameter.values == ["new", "popular"])
    }

    @Test func `of two lists of values, those are allowed that are in both`() {
        let type = ParameterType.custom(name: "Order", meaning: .values(["old", "popular"]))
        #expect(ParameterReply(Parameter(name: "p", type: type)).values == ["old", "popular"])
        let both = ParameterReply(Parameter(name: "p", type: type, allowedValues: ["new", "popular"]))
        #expect(both.values == ["popular"])
    }
}
