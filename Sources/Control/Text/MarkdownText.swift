import Model

/// Untrusted text in Markdown.
/// - Source: GitHub Flavored Markdown, "Tables (extension)", "Code spans" and "Backslash escapes"
enum MarkdownText {
    /// Escapes the characters that have a meaning in Markdown.
    static func escaped(_ text: String) -> String {
        // Markdown knows no characters of several scalars: a mark stays one in front of a combining accent.
        var result = String.UnicodeScalarView()
        for scalar in SafeText.neutralised(text).unicodeScalars {
            if "\\`*_[]<>#|~!&@".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Returns a name as a code span; empty for an empty text.
    static func code(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let safe = SafeText.neutralised(name: text)
        // The fence is longer than any run of backticks in the text.
        let longest = safe.unicodeScalars.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        // A space at each end is not part of the text, unless the text has nothing but spaces.
        let hasSpaces = safe.hasPrefix(" ") && safe.hasSuffix(" ") && safe.contains { $0 != " " }
        let isPadded = safe.hasPrefix("`") || safe.hasSuffix("`") || hasSpaces
        let space = isPadded ? " " : ""
        return fence + space + safe + space + fence
    }

    /// Returns a code span in a cell of a table. Tables are split at bars before code spans are parsed.
    static func codeInTable(_ text: String) -> String { code(text).replacing("|", with: "\\|") }

    /// - Parameter cells: in which bars are escaped.
    static func row(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

    /// Returns what stands above the rows of a table.
    /// - Parameters:
    ///   - cells: in which bars are escaped.
    ///   - numeric: the places of the columns whose cells end at the same place.
    static func heading(_ cells: [String], numeric: Set<Int> = []) -> String {
        row(cells) + row(cells.indices.map { numeric.contains($0) ? "---:" : "---" })
    }
}
