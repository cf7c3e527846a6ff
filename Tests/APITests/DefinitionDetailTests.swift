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
            definition: definition,
            facts: DefinitionDetail.Facts(
                version: "v", loadedAt: WireTime(microseconds: 1), state: .seen,
                usage: DefinitionUse(total: ["resolved": 3], day: [:], week: ["resolved": 1]),
                violations: [
                    ViolationUse(parameter: "order", rule: "value", count: 2, lastSeen: WireTime(microseconds: 5))
                ],
                links: [LinkReply(name: "SQL", url: "https://example.com/a?b=c")]))
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
                "category_parameters", "common_parameters", "extra_parameters", "sent_as", "types", "columns", "source",
                "key", "version", "loaded_at", "state", "usage",
                "violations", "links",
            ])
        #expect(try DefinitionDetail.parse(bytes) == detail())
    }

    @Test func `columns have the type as their parameters have it, and paths that begin at the payload`() throws {
        let device = ParameterType.custom(
            name: "Device",
            meaning: .object(ObjectType(members: [Parameter(name: "os", type: .string(maximumBytes: 8))])))
        let items = ParameterType.array(of: device)
        let key = EventKey(category: "search", name: "run")
        let definition = Definition(
            key: key, description: "", isObsolete: false,
            parameters: [
                Parameter(name: "order", type: .bigint), Parameter(name: "device", type: device),
                Parameter(name: "items", type: .custom(name: "Items", meaning: .same(as: items))),
            ], line: 3)
        let dictionary = EventDictionary(
            options: DictionaryOptions(
                name: "shop", path: "/d",
                layout: PayloadLayout(
                    category: .definingFile, name: .member(MemberPath("event")), parametersAt: MemberPath("properties"))
            ),
            version: "v", common: [Parameter(name: "order", type: .date)],
            categories: [
                DefinitionCategory(
                    name: "search", title: nil, description: "", parameters: [], definitions: [definition])
            ])
        let columns = try #require(DefinitionReply(key, in: dictionary)).columns
        #expect(
            columns.map { "\($0.path) \($0.column) \($0.type)" } == [
                "order order_ date", "properties.order order__2 bigint",
                "properties.device.os device_os string", "properties.items items Items",
            ])
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
