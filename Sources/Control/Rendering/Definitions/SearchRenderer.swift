package import API
import Model

/// Renders what a search found for people: each definition with the texts that have the words.
package struct SearchRenderer: Sendable {
    private let search: WordSearch
    private let style: Style

    package init(_ search: String, style: Style) {
        self.search = WordSearch(search)
        self.style = style
    }

    package func text(_ lists: [DefinitionList]) -> String {
        let showsDictionary = Set(lists.map(\.dictionary)).count > 1
        return lists.flatMap { list in
            list.categories.flatMap { category in
                category.definitions.map { definition in
                    text(definition, category, dictionary: showsDictionary ? list.dictionary : nil)
                }
            }
        }.joined(separator: "\n")
    }

    private func text(
        _ definition: DefinitionList.Item, _ category: DefinitionList.Category, dictionary: String?
    ) -> String {
        var heading = StyledLine()
        append(SafeText.neutralised("\(category.name)/\(definition.name)"), .heading, to: &heading)
        if definition.state != .seen { heading.append(" \(definition.state.rawValue)", definition.state.tint) }
        if let dictionary { heading.append("  " + SafeText.neutralised(dictionary), .faint) }
        var text = heading.rendered(style) + "\n"
        for line in description(definition) { text += rendered(line, behind: "  ") }
        for parameter in parameters(definition, category) { text += rendered(parameter) }
        return text
    }

    /// The description's first line, since it says what the event is; then the lines that have the words.
    private func description(_ definition: DefinitionList.Item) -> [String] {
        let lines = definition.description.split(whereSeparator: \.isNewline).map(String.init)
        let matching = lines.dropFirst().filter(search.matches)
        return Array(lines.prefix(1)) + matching
    }

    /// The parameters that the daemon found the words in, in the order of the file.
    private func parameters(
        _ definition: DefinitionList.Item, _ category: DefinitionList.Category
    ) -> [ParameterReply] {
        let found = Set((definition.matches ?? []).compactMap(\.parameter))
        return (category.parameters + definition.parameters).filter { found.contains($0.name) }
    }

    private func rendered(_ text: String, behind indent: String) -> String {
        var line = StyledLine(indent)
        append(SafeText.neutralised(text), .plain, to: &line)
        return line.rendered(style) + "\n"
    }

    private func rendered(_ parameter: ParameterReply) -> String {
        var line = StyledLine("  parameter ", .faint)
        append(SafeText.neutralised(parameter.name), .plain, to: &line)
        line.append(" " + parameter.typeName, .note)
        let lines = parameter.description.filter(search.matches)
        if let says = lines.isEmpty ? parameter.description.first : lines.joined(separator: " · ") {
            line.append("  ")
            append(SafeText.neutralised(says), .plain, to: &line)
        }
        return line.rendered(style) + "\n"
    }

    private func append(_ text: String, _ tint: Tint, to line: inout StyledLine) {
        for piece in search.pieces(text) { line.append(piece.text, piece.isMatch ? .match : tint) }
    }
}
