import API
import Model

/// Renders links: names with their URLs, which terminals may open.
struct LinkList {
    private let links: [LinkReply]

    init(_ links: [LinkReply]) {
        self.links = links
    }

    func rendered(_ style: Style) -> String {
        guard !links.isEmpty else { return "" }
        let names = links.map { SafeText.neutralised($0.name) }
        let width = names.map { DisplayWidth.columns($0) }.max() ?? 0
        let heading = StyledLine("Links", .heading).rendered(style) + "\n"
        return heading
            + zip(names, links).map { name, link in
                var line = StyledLine("  ")
                line.append(name + "  ", .faint, columns: width + 2)
                // Not every terminal opens links: the URL is there to be copied.
                line.append(SafeText.neutralised(link.url), link: style.hasLinks ? Hyperlink(link.url) : nil)
                // A URL must not be cut.
                return line.rendered(style.uncut) + "\n"
            }.joined()
    }
}
