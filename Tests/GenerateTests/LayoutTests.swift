import Definitions
import Foundation
import Generate
import Model
import Resolve
import TestSupport
import Testing

/// Where payloads have the key and the parameters.
struct LayoutTests {
    private func dictionary(_ layout: PayloadLayout, _ files: [String: String]) throws -> EventDictionary {
        let files = files.map { DefinitionFile(name: $0.key, bytes: Array($0.value.utf8)) }
        let options = DictionaryOptions(name: "shop", path: "here", layout: layout)
        return try DictionaryParser.parse(files, options: options).dictionary
    }

    private func member(_ path: String) -> KeyPart { .member(MemberPath(path)) }

    private static let payloads: [(SampleDictionary, String)] = [
        (.envelope, #"{"event":"Order Completed","properties":{"currency":"x","total":1.5},"message_id":"m"}"#),
        (
            .nestedKey,
            #"{"meta":{"category":"Orders","event":"Order Completed"},"currency":"x","total":1.5,"message_id":"m"}"#
        ),
        (
            .deepEnvelope,
            #"{"data":{"schema":"Order Completed","data":{"currency":"x","total":1.5}},"message_id":"m"}"#
        ),
        (.journalKey, #"{"name":"Order Completed","currency":"x","total":1.5,"message_id":"m"}"#),
        (.noKey, #"{"data":{"currency":"x","total":1.5},"message_id":"m"}"#),
    ]

    @Test(
        .enabled(if: Program.python.reasonToSkip == nil, "python3 is missing: apt-get install python3"),
        arguments: payloads)
    func `code writes the key and the parameters where the layout says`(
        sample: SampleDictionary, payload: String
    ) async throws {
        let dictionary = try sample.load()
        try await withTemporaryFolder { folder in
            try Generator.files(.python, for: dictionary).write(to: folder.appending(path: "events"))
            let program = """
                from events import CommonParameters, order, page
                common = CommonParameters(message_id="m")
                print(order.Completed(currency="x", total=1.5).encode(common))
                try:
                    order.Completed(currency="long", total=1.5).encode(common)
                except ValueError as error:
                    print(error)
                """
            let run = try Program.run(Program.python.path, "-c", program, in: folder)
            // Errors name parameters as definitions do.
            let error = "order/completed: currency: has 4 bytes, at most 3 are allowed"
            #expect(run.lines == [payload, error], "\(run.errors)")
        }
    }

    @Test func `a parameter is left out only where the key is`() throws {
        let files = [
            "common.md": "- event: !string?\n", "a.md": "- event: !string?\n- data: !double?\n\n## tap\n\nText.\n",
        ]
        func types(_ name: String, _ layout: PayloadLayout) throws -> [String] {
            try Generator.files(.swift, for: dictionary(layout, files)).flatMap {
                $0.text.matches(of: /(\w+): (\w+)\? = nil/).filter { $0.1 == name }.map { String($0.2) }
            }
        }
        let envelope = PayloadLayout(
            category: .definingFile, name: member("event"), parametersAt: MemberPath("properties"))
        #expect(try types("event", envelope) == ["String"])
        #expect(try types("data", envelope) == ["Double"])
        let within = PayloadLayout(
            category: .definingFile, name: member("properties.data"), parametersAt: MemberPath("properties"))
        #expect(try types("event", within) == ["String", "String"])
        #expect(try types("data", within) == [])
    }

    @Test func `a parameter takes the place of a common one only if both are in one object`() throws {
        let files = ["common.md": "- depth: !bigint\n", "a.md": "- [obsolete] depth: !string\n\n## tap\n\nText.\n"]
        let envelope = PayloadLayout(
            category: .definingFile, name: member("event"), parametersAt: MemberPath("properties"))
        for (layout, isShadowed) in [(PayloadLayout.usual, true), (envelope, false)] {
            let dictionary = try dictionary(layout, files)
            for templates in try [TemplateSet(builtIn: .swift), TemplateSet(builtIn: .python), .kotlin()] {
                let text = try Generator(templates).files(for: dictionary).map(\.text).joined()
                #expect(text.contains(/_json\.shadowed = \S*"depth"/) == isShadowed, "\(text)")
                #expect(text.contains("shadowed") == isShadowed, "\(text)")
            }
        }
    }

    private let contextFiles = [
        "common.md": "- context: Context?\n", "a.md": "## tap\n\nText.\n",
        "types/t.md": "## Context\n- locale: !string?\n",
    ]

    @Test func `no code writes a parameter that contains the key, and schemas allow it`() throws {
        let layout = PayloadLayout(category: .definingFile, name: member("context.event"))
        let dictionary = try dictionary(layout, contextFiles)
        for language in [TemplateSet.BuiltIn.swift, .python] {
            let error = #expect(throws: GenerateError.self) { try Generator.files(language, for: dictionary) }
            #expect(
                error?.description
                    == "`context` contains `context.event`, a part of the key: no code can write both, only json-schema"
                    + " is possible")
        }
        #expect(throws: GenerateError.self) { try Generator(.kotlin()).files(for: dictionary) }
        for tag in [
            "{{#opening}}", "{{# opening }}", "{{#dictionary.opening}}", "{{#reversed(opening)}}",
            "{{#reversed(dictionary.opening)}}", "{{=<% %>=}}<%#opening%>",
        ] {
            let end = tag.hasSuffix("%>") ? "<%/opening%>" : tag.replacing("#", with: "/")
            let templates = ["mine": "{{! output: all.txt }}\n{{header}}\n\(tag)x\(end)\n"]
            let generator = Generator(try TemplateSet(name: "mine", templates: templates))
            #expect(throws: GenerateError.self, "\(tag)") { try generator.files(for: dictionary) }
        }
        #expect(try !Generator.files(.jsonSchema, for: dictionary).isEmpty)
    }
}
