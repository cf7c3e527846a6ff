import Definitions
import Foundation
import Model
import TestSupport
import Testing

/// `docs/dialect.md` against the real Redcarpet and against Gloss. GLOSS_RECORD_SNAPSHOTS=1 writes what they say into it.
@Suite(.enabled(if: DaifukuReading.reasonToSkip == nil, "\(DaifukuReading.reasonToSkip ?? "")"))
struct DialectTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/dialect.md")

    private struct Construct {
        var name: String
        var example: String
        /// What the page says, from the first fence of text to the line about Gloss.
        var said: Substring
    }

    private static func constructs(_ page: String) throws -> [Construct] {
        try page.components(separatedBy: "\n### ").dropFirst().map { section in
            let name = String(section.prefix { $0 != "\n" })
            let fence = try #require(section.firstRange(of: "````markdown\n"), "\(name)")
            let end = try #require(section[fence.upperBound...].firstRange(of: "\n````\n"), "\(name)")
            let said = section[end.upperBound...]
            let gloss = try #require(said.firstRange(of: "\nGloss: "), "\(name)")
            let line = said[gloss.upperBound...].firstIndex(of: "\n") ?? said.endIndex
            return Construct(
                name: name, example: "\(section[fence.upperBound..<end.lowerBound])\n", said: said[..<line])
        }
    }

    private func read(_ example: String) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        DictionaryParser.read(
            [DefinitionFile(name: "a.md", bytes: Array(example.utf8))],
            options: DictionaryOptions(name: "a", path: "a"))
    }

    private func text(of problems: [DefinitionProblem]) -> String {
        var texts: [String] = []
        // It is about most examples, which are short.
        for problem in problems where problem.rule != .undescribedEvent {
            let text = "`\(problem.rule.rawValue)` (\(problem.severity))"
            if !texts.contains(text) { texts.append(text) }
        }
        return texts.isEmpty ? "nothing." : "\(texts.joined(separator: ", "))."
    }

    @Test func `every construct is read as the page says, by daifuku and by Gloss`() async throws {
        var page = try String(contentsOf: Self.file, encoding: .utf8)
        let constructs = try Self.constructs(page)
        #expect(constructs.count > 50)
        let readings = try await DaifukuReading.read(constructs.map(\.example))
        for (construct, daifuku) in zip(constructs, readings) {
            let (dictionary, problems) = read(construct.example)
            let says = "```text\n\(daifuku.text)```\nGloss: \(text(of: problems))"
            if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] != nil {
                page = page.replacingOccurrences(
                    of: "\(construct.example)````\n\(construct.said)", with: "\(construct.example)````\n\(says)")
            } else {
                #expect(construct.said == says, "\(construct.name)")
            }
            let isUnlike = problems.contains { $0.severity == .error || $0.rule == .ignoredHTML }
            if !isUnlike { #expect(DaifukuReading(dictionary, problems).text == daifuku.text, "\(construct.name)") }
        }
        if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] != nil {
            try page.write(to: Self.file, atomically: true, encoding: .utf8)
        }
    }
}
