import Foundation
import TestSupport

/// docs/writing.md as its tests read it: the blocks of code below each heading.
struct WritingGuide {
    struct Block {
        var language: String
        var text: String

        /// The file that the first line names in a comment; commands, settings and what is shown are in no file.
        var file: String? {
            let match = text.prefixMatch(of: /(?:#|<!--) ([\w\/.@-]+\.[a-z]+)(?: -->)?\n/)
            return match.map { String($0.1) }
        }
    }

    struct Section {
        var blocks: [Block] = []

        private func text(_ language: String) -> String {
            blocks.filter { $0.language == language && $0.file == nil }.map(\.text).joined()
        }

        var settings: String { text("yaml") }
        var commands: String { text("sh") }
        var definitions: [Block] { blocks.filter { $0.language == "md" } }

        /// Commands that write its files, other than definitions.
        var writingFiles: String {
            blocks.filter { $0.language != "md" }.compactMap { block in
                block.file.map { file in
                    """
                    mkdir -p "$(dirname '\(file)')"
                    cat >'\(file)' <<'END OF FILE'
                    \(block.text)END OF FILE

                    """
                }
            }.joined()
        }

        /// The command whose output is shown.
        var showing: String {
            let line = text("text").split(separator: "\n").first { $0.hasPrefix("$ ") } ?? ""
            return String(line.dropFirst(2))
        }

        /// What `glossctl show` prints, without what differs each time.
        var shown: [String] {
            text("text").split(separator: "\n").filter { !$0.hasPrefix("$ ") }.map { WritingGuide.stable($0) }
        }
    }

    private(set) var sections: [String: Section] = [:]

    init() throws {
        let file = GlossInstance.root.appending(path: "docs/writing.md")
        var heading = ""
        var block: Block?
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if let open = block {
                guard line == "```" else {
                    block?.text += line + "\n"
                    continue
                }
                sections[heading, default: Section()].blocks.append(open)
                block = nil
            } else if line.hasPrefix("```") {
                block = Block(language: String(line.dropFirst(3)), text: "")
            } else if let match = line.wholeMatch(of: /##+ (.*)/) {
                heading = String(match.1)
            }
        }
    }

    /// - Throws: if there is no such heading.
    func section(_ heading: String) throws -> Section {
        guard let section = sections[heading] else { throw Missing(heading: heading) }
        return section
    }

    struct Missing: Error { var heading: String }

    /// A line of `glossctl show` with placeholders for times.
    static func stable(_ line: some StringProtocol) -> String {
        String(line).replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}/, with: "TIME")
            .replacing(/seconds=\d+\.\d+/, with: "seconds=DURATION")
    }
}
