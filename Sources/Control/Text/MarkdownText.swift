import Model

/// Untrusted text in a cell of a Markdown table.
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

    /// Returns a code span; empty for an empty text.
    static func code(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let safe = SafeText.neutralised(text)
        // The fence is longer than any run of backticks in the text.
        let longest = safe.unicodeScalars.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let space = safe.hasPrefix("`") || safe.hasSuffix("`") ? " " : ""
        // Tables are split at bars before code spans are parsed.
        return fence + space + safe.replacing("|", with: "\\|") + space + fence
    }
}
