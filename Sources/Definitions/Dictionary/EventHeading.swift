import Model

/// An event's heading: its name, and whether it begins with `[obsolete]`.
///
/// daifuku matches `/\s*\[obsolete\]\s*(.*)/` anywhere in the heading, so text before the marker is lost.
struct EventHeading {
    static let marker = "[obsolete]"

    var name: String
    var isObsolete: Bool

    /// - Returns: `nil` when the heading does not name an event; then there is an error in `problems`.
    init?(_ block: MarkdownBlock, _ options: DictionaryOptions, _ problems: inout ProblemList) {
        let text = block.text
        isObsolete = text.hasPrefix(Self.marker)
        name =
            isObsolete
            ? String(Substring(text.utf8.dropFirst(Self.marker.utf8.count).drop { $0 == UInt8(ascii: " ") })) : text
        if let place = Self.placeOfMarker(in: name) {
            problems.add(
                .obsoleteMarker, block.line,
                "the obsolete marker is `[obsolete]`, in lower case and before the name: "
                    + "write `## [obsolete] \(Self.name(in: name, without: place))`",
                at: name[place])
            return nil
        }
        if let fault = Name.fault(of: name, longest: options.maximumNameLength) {
            problems.add(fault.rule, block.line, "\(fault.message) (the heading of an event is its name)", at: name)
            return nil
        }
        if let slip = Name.slip(of: name) {
            problems.add(.fullWidthSign, block.line, slip.message, at: name, as: slip.severity)
            if slip.severity == .error { return nil }
        }
        let mark = Array("__".utf8)
        if !Name.isWritten(name[...], after: isObsolete ? Self.marker : "", in: block.lines),
            block.lines.contains(where: { $0.text.firstPlace(of: mark) != nil })
        {
            problems.add(
                .boldName, block.line,
                "two underscores are bold in Markdown, so daifuku reads the name as `\(name)`: write it in `` ` ``")
            return nil
        }
    }

    /// Whether it contains the marker anywhere, in upper or lower case.
    static func hasMarker(_ text: some StringProtocol) -> Bool {
        text.utf8.contains(UInt8(ascii: "[")) && text.lowercased().contains("[obsolete]")
    }

    /// Returns the first word in brackets of any kind that was certainly meant as the marker.
    private static func placeOfMarker(in text: String) -> Range<String.Index>? {
        // Nearly all headings are names, which have no brackets.
        guard !text.utf8.allSatisfy(\.isWordByte) else { return nil }
        return text.firstRange(of: /[\[({<［（｛【〔「]\s*(obsoleted?|ｏｂｓｏｌｅｔｅ)\s*[\])}>］）｝】〕」]/.ignoresCase())
    }

    private static func name(in text: String, without marker: Range<String.Index>) -> String {
        let rest = "\(text[..<marker.lowerBound]) \(text[marker.upperBound...])".halfWidth
        return rest.split(separator: " ").first.map { Name.shown(String($0)) } ?? "name"
    }
}
