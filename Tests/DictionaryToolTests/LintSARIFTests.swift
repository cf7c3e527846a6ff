import DictionaryTool
import Foundation
import TestSupport
import Testing

struct LintSARIFTests {
    private struct SARIF: Decodable {
        struct Run: Decodable {
            struct Tool: Decodable { var driver: Driver }
            struct Driver: Decodable { var rules: [Rule] }
            struct Rule: Decodable {
                struct Configuration: Decodable { var level: String }

                var id: String
                var shortDescription: Text
                var fullDescription: Text
                var help: Text
                var defaultConfiguration: Configuration
            }

            var tool: Tool
            var columnKind: String
            var results: [Result]
        }
        struct Text: Decodable { var text: String }
        struct Result: Decodable {
            struct Location: Decodable { var physicalLocation: Physical }
            struct Physical: Decodable {
                var artifactLocation: Artifact
                var region: Region
            }
            struct Artifact: Decodable { var uri: String }
            struct Region: Decodable {
                var startLine: Int
                var startColumn: Int?
            }

            var ruleId: String
            var ruleIndex: Int
            var level: String
            var message: Text
            var locations: [Location]

            var place: Physical { locations[0].physicalLocation }
        }

        var version: String
        var runs: [Run]
    }

    /// Files of every difficulty that a place can have: no line, text before the column, a name that is no URI.
    private func reply(_ body: (_ document: Data, _ folder: URL) throws -> Void) async throws {
        let files = [
            "b.md": "# b\n", "c:d %41#?.md": "##\n", "空\\.md": "## show\n",
            "a.md": "## show\n\nText.\n\n- {0}\n- a: !string\r    - values: 日本𠮷, ok, ok\n",
        ]
        try await withTemporaryFolder { folder in
            for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
            let reply = await Reply(["lint", folder.path, "-o", "sarif"], in: folder.path)
            #expect(reply.outcome == .no)
            try body(Data(reply.output.utf8), folder)
        }
    }

    /// The schema of SARIF allows no others, and types and required ones are as `SARIF` above has them.
    @Test func `it has these keys alone`() async throws {
        func paths(_ value: Any, _ path: String) -> Set<String> {
            if let array = value as? [Any] {
                return array.reduce(into: []) { $0.formUnion(paths($1, "\(path)[]")) }
            }
            guard let object = value as? [String: Any] else { return [path] }
            return object.reduce(into: []) {
                $0.formUnion(paths($1.value, path.isEmpty ? $1.key : "\(path).\($1.key)"))
            }
        }
        try await reply { data, _ in
            let found = paths(try JSONSerialization.jsonObject(with: data), "")
            let rule = [
                "shortDescription.text", "fullDescription.text", "help.text", "defaultConfiguration.level", "id",
            ]
            let place = ["artifactLocation.uri", "region.startLine", "region.startColumn"]
            let result = ["ruleId", "ruleIndex", "level", "message.text"]
            var expected: Set = ["$schema", "version", "runs[].columnKind", "runs[].newlineSequences[]"]
            expected.formUnion(["name", "version"].map { "runs[].tool.driver.\($0)" })
            expected.formUnion(rule.map { "runs[].tool.driver.rules[].\($0)" })
            expected.formUnion(result.map { "runs[].results[].\($0)" })
            expected.formUnion(place.map { "runs[].results[].locations[].physicalLocation.\($0)" })
            #expect(found == expected, "\(found.symmetricDifference(expected))")
        }
    }

    @Test func `every rule has what code scanning shows of it, and every result is of one of them`() async throws {
        try await reply { data, _ in
            let document = try JSONDecoder().decode(SARIF.self, from: data)
            let run = try #require(document.runs.first)
            let rules = run.tool.driver.rules
            #expect(document.version == "2.1.0" && document.runs.count == 1)
            #expect(Set(rules.map(\.id)).count == rules.count)
            for rule in rules {
                let texts = [rule.shortDescription.text, rule.fullDescription.text, rule.help.text]
                #expect(texts.allSatisfy { (1...1024).contains($0.utf8.count) }, "\(rule.id)")
                #expect(["error", "warning"].contains(rule.defaultConfiguration.level))
            }
            for result in run.results {
                #expect(rules[result.ruleIndex].id == result.ruleId && !result.message.text.isEmpty)
            }
            #expect(Set(run.results.map(\.level)) == ["error", "warning"])
        }
    }

    @Test func `places are files relative to where one stands, and lines and characters of these`() async throws {
        try await reply { data, folder in
            let run = try #require(try JSONDecoder().decode(SARIF.self, from: data).runs.first)
            let places = run.results.map(\.place)
            for uri in places.map(\.artifactLocation.uri) {
                // As code scanning finds the file, from the root of the repository.
                let url = try #require(URL(string: uri, relativeTo: folder.appending(path: "/")))
                #expect(url.baseURL != nil && FileManager.default.fileExists(atPath: url.path), "\(uri)")
                #expect(uri.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }, "\(uri)")
            }
            #expect(Set(places.map(\.artifactLocation.uri)).count == 4)
            #expect(run.columnKind == "unicodeCodePoints")
            let first = places.filter { $0.artifactLocation.uri == "a.md" }.map(\.region)
            #expect(first.map(\.startLine) == [5, 7] && first.map(\.startColumn) == [3, 20], "\(first)")
            #expect(places.contains { $0.region.startLine == 1 && $0.region.startColumn == 1 })
        }
    }

    @Test func `braces of definitions are no placeholders`() async throws {
        try await reply { data, _ in
            let results = try JSONDecoder().decode(SARIF.self, from: data).runs.flatMap(\.results)
            let texts = results.map(\.message.text).filter { $0.contains("{") }
            #expect(!texts.isEmpty && texts.allSatisfy { $0.replacing("{{0}}", with: "").firstIndex(of: "{") == nil })
        }
    }
}
