import Model

/// Untrusted text in a cell of a Markdown table.
/// - Source: GitHub Flavored Markdown, "Tables (extension)", "Code spans" and "Backslash escapes"
enum MarkdownText {
    /// Escapes the characters that have a meaning in Markdown.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in SafeText.neutralised(text) {
            if "\\`*_[]<>#|~!&@".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// Returns a code span; empty for an empty text.
    static func code(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let safe = SafeText.neutralised(text)
        // The fence is longer than any run of backticks in the text.
        let longest = safe.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let space = safe.hasPrefix("`") || safe.hasSuffix("`") ? " " : ""
        // Tables are split at bars before code spans are parsed.
        return fence + space + safe.replacing("|", with: "\\|") + space + fence
    }
}
