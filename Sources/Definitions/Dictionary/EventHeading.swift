/// An event's heading: its name, and whether `[obsolete]` stands before it.
///
/// daifuku matches `/\s*\[obsolete\]\s*(.*)/` anywhere in the heading, so that what comes before the marker is lost.
struct EventHeading {
    var name: String
    var isObsolete: Bool

    /// - Returns: `nil` when the heading names no event; then there is an error in `problems`.
    init?(_ block: MarkdownBlock, _ problems: inout ProblemList) {
        let marker = "[obsolete]"
        let text = block.text
        isObsolete = text.hasPrefix(marker)
        name = isObsolete ? String(text.dropFirst(marker.count).drop { $0 == " " }) : text
        if name.lowercased().contains(marker) {
            problems.error(
                block.line,
                "the obsolete marker is `[obsolete]`, in lower case and before the name: "
                    + "write `## [obsolete] \(Self.withoutMarker(name))`")
            return nil
        }
        if let fault = Name.fault(of: name) {
            problems.error(block.line, "\(fault) (the heading of an event is its name)")
            return nil
        }
        if !Name.isWritten(name[...], in: block.lines) {
            problems.error(
                block.line,
                "two underscores are bold in Markdown, so daifuku reads the name as `\(name)`: write it in `` ` ``")
            return nil
        }
    }

    private static func withoutMarker(_ text: String) -> String {
        let words = text.split(separator: " ").filter { !$0.lowercased().contains("[obsolete]") }
        return words.first.map { Name.shown(String($0)) } ?? "name"
    }
}
