import Foundation
import Model
import Testing

/// What keeps text compared by bytes: see `docs/decisions/0011-text-is-bytes.md`.
struct TextRuleTests {
    /// Files in which no key comes from outside: those of the OpenAPI document, and of environment variables.
    private static let exempt = ["API/Description/", "Serve/Endpoint", "Serve/OpenAPI/", "Control/Console"]

    private struct Source {
        var path: String
        var code: String
    }

    /// The code of modules that know `Model` and compare what comes from outside, without comments.
    private func sources() throws -> [Source] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources")
        let modules = [
            "API", "Control", "Daemon", "Definitions", "Dictionaries", "Emit", "Forward", "Journal", "Predicates",
            "Queries", "Resolve", "Serve", "Settings", "SQL", "Store", "Watches",
        ]
        return try modules.flatMap { module in
            let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: module).path)
            return try paths.filter { $0.hasSuffix(".swift") }.map { path in
                let text = try String(contentsOf: folder.appending(path: "\(module)/\(path)"), encoding: .utf8)
                let lines = text.split(separator: "\n").filter { $0.firstMatch(of: /^\s*\/\//) == nil }
                return Source(path: "\(module)/\(path)", code: lines.joined(separator: "\n"))
            }
        }
    }

    @Test func `keys of sets and dictionaries are ExactString`() throws {
        let sources = try sources().filter { source in !Self.exempt.contains { source.path.hasPrefix($0) } }
        #expect(sources.count > 100)
        for source in sources {
            for line in source.code.split(separator: "\n") {
                // Constants, counts by resolution, and environment variables are not names from outside.
                if line.firstMatch(of: /static let|String: Int64|environment/) != nil { continue }
                #expect(line.firstMatch(of: /\[\[?String\]?: |Set<\[?String\b/) == nil, "\(source.path): \(line)")
            }
        }
    }

    @Test func `what compares text imports Model, whose operators go by bytes`() throws {
        let comparison =
            /[=!<>]= "|\.has(Prefix|Suffix)\(|\.split\(separator: |\.contains\("|\.replacing\("|(first|last)Index\(of: "|case "/
        for source in try sources() where source.code.firstMatch(of: comparison) != nil {
            #expect(source.code.firstMatch(of: /\bimport Model\b/) != nil, "\(source.path)")
        }
    }
}
