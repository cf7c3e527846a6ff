import Definitions
import Foundation
import JSON
import Model

/// - Source: SARIF 2.1.0 (OASIS), and "SARIF support for code scanning" of GitHub, which requires more properties.
extension LintReport {
    func sarif() -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("$schema")
        writer.string("https://json.schemastore.org/sarif-2.1.0.json")
        writer.key("version")
        writer.string("2.1.0")
        writer.key("runs")
        writer.beginArray()
        writer.beginObject()
        tool(&writer)
        writer.key("columnKind")
        writer.string("unicodeCodePoints")
        // The line breaks of Markdown. By default, a single carriage return is not one.
        writer.key("newlineSequences")
        writer.beginArray()
        for sequence in ["\r\n", "\n", "\r"] { writer.string(sequence) }
        writer.endArray()
        writer.key("results")
        writer.beginArray()
        for finding in findings { result(finding, &writer) }
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.newline()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func tool(_ writer: inout JSONWriter) {
        writer.key("tool")
        writer.beginObject()
        writer.key("driver")
        writer.beginObject()
        writer.key("name")
        writer.string("gloss")
        writer.key("version")
        writer.string(glossVersion)
        writer.key("rules")
        writer.beginArray()
        for rule in LintRule.allCases {
            writer.beginObject()
            writer.key("id")
            writer.string(rule.rawValue)
            message("shortDescription", rule.summary, &writer)
            message("fullDescription", rule.summary, &writer)
            message("help", "\(rule.summary) See `\(rule.rawValue)` in docs/lint.md of Gloss.", &writer)
            writer.key("defaultConfiguration")
            writer.beginObject()
            writer.key("level")
            writer.string(rule.severity.rawValue)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        writer.endObject()
    }

    private func result(_ finding: Finding, _ writer: inout JSONWriter) {
        let problem = finding.problem
        writer.beginObject()
        writer.key("ruleId")
        writer.string(problem.rule.rawValue)
        writer.key("ruleIndex")
        writer.integer(LintRule.allCases.firstIndex(of: problem.rule) ?? 0)
        writer.key("level")
        writer.string(problem.severity.rawValue)
        message("message", problem.message, &writer)
        writer.key("locations")
        writer.beginArray()
        writer.beginObject()
        writer.key("physicalLocation")
        writer.beginObject()
        writer.key("artifactLocation")
        writer.beginObject()
        writer.key("uri")
        writer.string(Self.uri(finding.path))
        writer.endObject()
        // Code scanning requires a line; the first one stands for the whole file.
        writer.key("region")
        writer.beginObject()
        writer.key("startLine")
        writer.integer(max(problem.line, 1))
        if problem.line > 0, problem.column > 0 {
            writer.key("startColumn")
            writer.integer(problem.column)
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endArray()
        writer.endObject()
    }

    private func message(_ key: StaticString, _ text: String, _ writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        writer.key("text")
        // A single brace begins a placeholder such as `{0}`; two are a literal brace.
        writer.string(text.replacing("{", with: "{{").replacing("}", with: "}}"))
        writer.endObject()
    }

    /// Returns a relative URI, unless the file is outside the working folder.
    private static func uri(_ path: String) -> String {
        if path.hasPrefix("/") { return URL(filePath: path).absoluteString }
        return path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }
}
