import DictionaryTool
import Foundation
import TestSupport
import Testing

struct LintJSONTests {
    @Test func `JSON is one object with every problem`() async throws {
        try await withTemporaryFolder { folder in
            let shop = folder.appending(path: "my shop")
            try FileManager.default.createDirectory(at: shop, withIntermediateDirectories: true)
            try Data("## show\n\n\"quoted\"\n- 日本 x: !string\n".utf8).write(to: shop.appending(path: "a.md"))
            try Data("# b\n".utf8).write(to: shop.appending(path: "b.md"))
            let reply = await Reply(["lint", shop.path, "-o", "json"], in: folder.path)
            #expect(reply.outcome == .no)
            let document = try JSONDecoder().decode(Document.self, from: Data(reply.output.utf8))
            #expect(document.errors == 2 && document.warnings == 1 && document.files == 2)
            #expect(document.problems.map(\.rule) == ["list-under-text", "half-read-name", "empty-category"])
            #expect(document.problems.map(\.file) == ["my shop/a.md", "my shop/a.md", "my shop/b.md"])
            #expect(document.problems.map(\.line) == [4, 4, 1] && document.problems.map(\.column) == [1, 3, 1])
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
}
