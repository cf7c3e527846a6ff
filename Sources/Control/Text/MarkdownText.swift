import Model

/// Text that came from elsewhere as one cell of a Markdown table.
/// - Source: GitHub Flavored Markdown, "Tables (extension)", "Code spans" and "Backslash escapes"
enum MarkdownText {
    /// Characters that mean something in Markdown stand behind a backslash.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in SafeText.neutralised(text) {
            if "\\`*_[]<>#|~!&@".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }

    /// A code span; empty for an empty text.
    static func code(_ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let safe = SafeText.neutralised(text)
        // A fence is longer than any run of backticks within.
        let longest = safe.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longest + 1)
        let space = safe.hasPrefix("`") || safe.hasSuffix("`") ? " " : ""
        // Tables are cut at bars before code spans are looked for.
        return fence + space + safe.replacing("|", with: "\\|") + space + fence
    }
}
