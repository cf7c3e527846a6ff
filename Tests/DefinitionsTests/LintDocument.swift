import Definitions
import Foundation
import Model

/// `docs/lint.md`, taken apart.
struct LintDocument {
    struct Section: Sendable, CustomStringConvertible {
        var name: String
        var text: String
        /// The definitions of its fences, in their order; empty when the example is none of definitions.
        var examples: [[DefinitionFile]]

        var description: String { name }
    }

    var sections: [Section] = []

    /// - Parameter name: another document whose fences are examples.
    init(_ name: String = "lint.md") throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = root.deletingLastPathComponent().appending(path: "docs/\(name)")
        let text = try String(contentsOf: file, encoding: .utf8)
        var fence: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```"), let open = fence {
                if open.first == "```markdown" {
                    sections[sections.count - 1].examples.append(Self.files(open.dropFirst()))
                }
                fence = nil
            } else if line.hasPrefix("```") {
                fence = [line]
            } else if fence != nil {
                fence?.append(line)
            } else if line.hasPrefix("### ") || (line.hasPrefix("#") && name != "lint.md") {
                let heading = line.drop { $0 == "#" || $0 == " " }
                sections.append(Section(name: String(heading), text: "", examples: []))
            } else if !sections.isEmpty {
                sections[sections.count - 1].text += "\(line) "
            }
        }
    }

    /// A comment with a name begins each file; without, it is one file.
    private static func files(_ lines: ArraySlice<Substring>) -> [DefinitionFile] {
        var texts: [(name: String, lines: [Substring])] = []
        for line in lines {
            if line.hasPrefix("<!-- "), line.hasSuffix(".md -->") {
                texts.append((String(line.dropFirst(5).dropLast(4)), []))
            } else {
                if texts.isEmpty { texts = [("recipe.md", [])] }
                texts[texts.count - 1].lines.append(line)
            }
        }
        return texts.map { DefinitionFile(name: $0.name, bytes: Array($0.lines.joined(separator: "\n").utf8)) }
    }
}
