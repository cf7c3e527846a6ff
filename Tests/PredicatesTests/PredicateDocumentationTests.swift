import Foundation
import Predicates
import Testing

struct PredicateDocumentationTests {
    /// docs/predicates.md has one row for each key.
    @Test func `the table of keys is that of the code`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/predicates.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let rows = PredicateKey.allCases.map { key in
            let aliases = key.aliases.map { "`\($0)`" }.joined(separator: " ")
            return "| `\(key.name)` | \(aliases) | \(key.description) | `\(key.example)` |"
        }
        let table = rows.joined(separator: "\n")
        #expect(page.contains("| --- | --- | --- | --- |\n\(table)\n\n"), "\(table)")
    }
}
