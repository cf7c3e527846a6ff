import Definitions
import Foundation
import Generate
import Model
import Testing

/// Objects, arrays, and what payloads may have besides.
struct CustomTypeTests {
    private func dictionary(
        _ files: [String: String], extra: ExtraParameters = .named([]), reversed: Bool = false
    ) throws -> EventDictionary {
        let files = files.sorted { ($0.key < $1.key) != reversed }
        var options = DictionaryOptions(name: "shop", path: "here")
        options.extraParameters = extra
        return try DictionaryParser.parse(
            files.map { DefinitionFile(name: $0.key, bytes: Array($0.value.utf8)) }, options: options
        ).dictionary
    }

    private func text(_ language: TemplateSet.BuiltIn, _ path: String, _ dictionary: EventDictionary) throws -> String {
        try #require(Generator.files(language, for: dictionary).first { $0.path == path }).text
    }

    private func schema(_ path: String, _ dictionary: EventDictionary) throws -> [String: Any] {
        let text = try text(.jsonSchema, path, dictionary)
        return try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// Of the declarations in a generated Swift file, the names.
    private func declared(_ text: String) -> Set<String> {
        Set(text.matches(of: /public (?:struct|enum) (\w+)/).map { String($0.1) })
    }

    @Test func `a list of values with the name of an object type gets a longer name, in any order`() throws {
        let files = [
            "common.md": "- Device: !string\n    - values: a, b\n- device: Device\n",
            "a.md": "## e\n\nText.\n\n- x: Screen\n",
            "types/1.md": "## Device\n- os: !string\n    - values: c, d\n- Screen: Screen?\n",
            "types/2.md": "## Screen\n- width: !integer\n\n## screen\n- x\n",
        ]
        let one = try dictionary(files)
        let names = declared(try text(.swift, "EventSupport.swift", one))
        #expect(names.isSuperset(of: ["CommonDevice", "Device", "DeviceOs", "Screen"]))
        let other = try dictionary(files, reversed: true)
        for language in TemplateSet.BuiltIn.allCases {
            #expect(try Generator.files(language, for: one) == Generator.files(language, for: other))
        }
    }

    @Test func `a type that is used by nothing is left out, and one more changes no other name`() throws {
        let files = ["a.md": "## e\n\nText.\n\n- x: Screen\n", "types/a.md": "## Screen\n- width: !integer\n"]
        let plain = try text(.swift, "EventSupport.swift", dictionary(files))
        let unused = files.merging(["types/b.md": "## SCREEN\n- x: !string\n"]) { $1 }
        #expect(try text(.swift, "EventSupport.swift", dictionary(unused)) == plain)
        let used = unused.merging(["b.md": "## f\n\nText.\n\n- y: Other\n", "types/c.md": "## Other\n- z: !date\n"]) {
            $1
        }
        let more = declared(try text(.swift, "EventSupport.swift", dictionary(used)))
        #expect(more == declared(plain).union(["Other"]))
    }

    @Test(arguments: TemplateSet.BuiltIn.allCases)
    func `an object type is generated once, however many ways lead to it`(language: TemplateSet.BuiltIn) throws {
        // Two ways at each of 30 levels.
        let types = (0..<30).map { "## T\($0)\n- a: T\($0 + 1)\n- b: [T\($0 + 1)]?\n\n" }.joined()
        let files = ["a.md": "## e\n\nText.\n\n- x: T0\n", "types/t.md": types + "## T30\n- marker: !string 12345\n"]
        for file in try Generator.files(language, for: dictionary(files)) {
            #expect(file.text.utf8.count < 100_000)
            #expect(file.text.ranges(of: "maxBytes\": 12345").count <= 1)
            #expect(file.text.ranges(of: "limits: [12345]").count <= 1)
            #expect(file.text.ranges(of: "False, 12345").count <= 1)
        }
    }

    @Test func `arrays may be 16 deep within each other`() throws {
        func dictionary(_ alias: String) throws -> EventDictionary {
            let types = "## One\n- [[[[[[[[Two]]]]]]]]\n\n## Two\n- \(alias)\n\n## Three\n- [!date]\n"
            return try self.dictionary(["a.md": "## e\n\nText.\n\n- x: One\n- y: Three\n", "types/t.md": types])
        }
        let deepest = try dictionary("[[[[[[[[!string 5]]]]]]]]")
        #expect(try text(.swift, "AEvent.swift", deepest).contains("x: \(String(repeating: "[", count: 16))String"))
        #expect(try text(.python, "a.py", deepest).contains(String(repeating: "_typing.List[", count: 16) + "str"))
        #expect(try text(.jsonSchema, "a/e.schema.json", deepest).ranges(of: "\"items\"").count == 17)
        let deeper = try dictionary("[[[[[[[[Three]]]]]]]]")
        let error = #expect(throws: GenerateError.self) { try Generator.files(.swift, for: deeper) }
        #expect(error?.description.hasPrefix("`x` (One) has arrays more than 16 deep within each other") == true)
    }

    @Test func `an event's own schema has the types that it uses, and no others`() throws {
        let files = [
            "common.md": "- device: Device\n", "a.md": "## e\n\nText.\n\n- x: !string\n- [obsolete] old: Old\n",
            "b.md": "## f\n\nText.\n\n- items: Items\n",
            "types/t.md": """
            ## Device
            - screens: [[Screen?]]

            ## Screen
            - width: !integer

            ## Items
            - [Item]

            ## Item
            - sku: !string

            ## Old
            - x: !any
            """,
        ]
        let dictionary = try dictionary(files)
        func types(_ path: String) throws -> Set<String> {
            Set((try schema(path, dictionary)["$defs"] as? [String: Any] ?? [:]).keys.filter { $0.hasPrefix("type:") })
        }
        #expect(try types("a/e.schema.json") == ["type:Device", "type:Old", "type:Screen"])
        #expect(try types("b/f.schema.json") == ["type:Device", "type:Item", "type:Screen"])
        #expect(try types("events.schema.json") == ["type:Device", "type:Item", "type:Old", "type:Screen"])
    }

    @Test func `other parameters are allowed where the definitions or the settings say so`() throws {
        let files = [
            "a.md": "## e\n\nText.\n\nextra parameters: allowed\n\n- x: !string\n\n## f\n\nText.\n",
            "b.md": "Text.\n\nextra parameters: refused\n\n## g\n\nText.\n",
        ]
        func allowed(_ path: String, _ extra: ExtraParameters) throws -> (Bool?, Set<String>) {
            let schema = try schema(path, dictionary(files, extra: extra))
            let properties = schema["properties"] as? [String: Any] ?? [:]
            let free = properties.filter { $0.value as? Bool == true }
            return (schema["additionalProperties"] as? Bool, Set(free.keys))
        }
        let named = ExtraParameters.named(["log_id", "x", "event_name", "\"$"])
        #expect(try allowed("a/e.schema.json", named) == (true, []))
        #expect(try allowed("a/f.schema.json", named) == (false, ["log_id", "x", "\"$"]))
        #expect(try allowed("b/g.schema.json", named) == (false, ["log_id", "x", "\"$"]))
        #expect(try allowed("a/f.schema.json", .all) == (true, []))
        #expect(try allowed("b/g.schema.json", .all) == (false, []))
    }

    @Test func `payloads have the names under which events are sent, and code has those of the definitions`() throws {
        let files = [
            "order.md": "Text.\n\nsent as: Orders\n\n## placed\n\nText.\n\nsent as: Order Placed\n\n- x: !string 3\n"
        ]
        let dictionary = try dictionary(files)
        let swift = try text(.swift, "OrderEvent.swift", dictionary)
        #expect(swift.contains("case placed(") && swift.contains("EventWriter(category: \"Orders\")"))
        #expect(swift.contains("_json.begin(\"order/placed\", name: \"Order Placed\")"))
        let python = try text(.python, "order.py", dictionary)
        #expect(python.contains("class Placed") && python.contains("_json.begin(\"Orders\", \"Order Placed\")"))
        let properties = try schema("order/placed.schema.json", dictionary)["properties"] as? [String: [String: Any]]
        #expect(properties?["event_category"]?["const"] as? String == "Orders")
        #expect(properties?["event_name"]?["const"] as? String == "Order Placed")
    }

    @Test func `templates see what is within types`() throws {
        let templates = try TemplateSet(
            name: "mine",
            templates: [
                "t": """
                {{! output: t.txt }}
                {{! types: array=List object=Map json=Any string=Text }}
                {{header}}
                {{#has_types}}
                {{#types}}
                {{name}}: {{#members}}{{camel}} {{> type}}{{^last()}}, {{/last()}}{{/members}}
                {{/types}}
                {{/has_types}}
                """,
                "type": """
                {{type}}{{#may_be_null}}?{{/may_be_null}}{{#is.object}}({{object.pascal}}){{/is.object}}\
                {{#has_limits}}!{{/has_limits}}{{maximum_count}}{{#element}}<{{> type}}>{{/element}}
                """,
            ])
        let files = [
            "a.md": "## e\n\nText.\n\n- x: a_type\n",
            "types/t.md": "## a_type\n- one: [[!string? 7]? 2]?\n- two: [a_b]\n- three: !any\n\n## a_b\n- s: !string\n",
        ]
        let text = try Generator(templates).files(for: dictionary(files))[0].text
        #expect(
            text.contains("a_b: s Text\na_type: one List?!<List?!2<Text?!>>, two List<Map(AB)>, three Any\n"), "\(text)"
        )
    }
}
