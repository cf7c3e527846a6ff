import API
import Model

/// Renders links: names that a terminal opens, or names with their URLs.
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
                if style.hasLinks, let hyperlink = Hyperlink(link.url) {
                    line.append(name, .note, link: hyperlink)
                } else {
                    line.append(name + "  ", .faint, columns: width + 2)
                    line.append(SafeText.neutralised(link.url))
                }
                // A URL must not be cut.
                return line.rendered(style.uncut) + "\n"
            }.joined()
    }
}
