import DictionaryTool
import Foundation
import TestSupport
import Testing

struct LintFormatTests {
    private func reply(_ format: String, _ body: (Data) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let shop = folder.appending(path: "my shop")
            try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: true)
            try Data("## show\n\n\"quoted\"\n- 日本 x: !string\n".utf8).write(to: shop.appending(path: "a.md"))
            try Data("# b\n".utf8).write(to: shop.appending(path: "b.md"))
            let reply = await Reply(["lint", shop.path, "-o", format], in: folder.path)
            #expect(reply.outcome == .no)
            try body(Data(reply.output.utf8))
        }
    }

    private struct Document: Decodable {
        struct Problem: Decodable, Equatable {
            var file: String
            var line: Int
            var column: Int
            var severity: String
            var rule: String
            var message: String
        }

        var problems: [Problem]
        var errors: Int
        var warnings: Int
        var files: Int
    }

    @Test func `JSON is one object with every problem`() async throws {
        try await reply("json") { data in
            let document = try JSONDecoder().decode(Document.self, from: data)
            #expect(document.errors == 1 && document.warnings == 1 && document.files == 2)
            #expect(document.problems.map(\.rule) == ["list-under-text", "empty-category"])
            #expect(document.problems.map(\.file) == ["my shop/a.md", "my shop/b.md"])
            #expect(document.problems.map(\.line) == [4, 0] && document.problems.map(\.column) == [1, 0])
        }
    }

    private struct SARIF: Decodable {
        struct Run: Decodable {
            struct Tool: Decodable { var driver: Driver }
            struct Driver: Decodable {
                var name: String
                var rules: [Rule]
            }
            struct Rule: Decodable {
                var id: String
                var shortDescription: Text
                var help: Text
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
        }

        var version: String
        var runs: [Run]
    }

    @Test func `SARIF has every rule, and each result with a rule, a level and a place`() async throws {
        try await reply("sarif") { data in
            let document = try JSONDecoder().decode(SARIF.self, from: data)
            let run = try #require(document.runs.first)
            #expect(document.version == "2.1.0" && document.runs.count == 1 && run.columnKind == "unicodeCodePoints")
            #expect(run.results.map(\.level) == ["error", "warning"])
            for result in run.results {
                #expect(run.tool.driver.rules[result.ruleIndex].id == result.ruleId && !result.message.text.isEmpty)
            }
            let places = run.results.compactMap(\.locations.first?.physicalLocation)
            #expect(places.map(\.artifactLocation.uri) == ["my%20shop/a.md", "my%20shop/b.md"])
            #expect(places.map(\.region.startLine) == [4, 1] && places.map(\.region.startColumn) == [1, nil])
        }
    }
}
