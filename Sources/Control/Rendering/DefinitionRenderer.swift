package import API

/// Renders what dictionaries say for people.
package struct DefinitionRenderer: Sendable {
    private let style: Style

    package init(style: Style) {
        self.style = style
    }

    /// All definitions, one a line.
    package func table(_ lists: [DefinitionList]) -> String {
        var table = TextTable(["DICTIONARY", "EVENT", "PARAMETERS", "DESCRIPTION"], numeric: [2])
        var isEmpty = true
        for list in lists {
            for category in list.categories {
                for definition in category.definitions {
                    isEmpty = false
                    table.append([
                        .init(SafeText.neutralised(list.dictionary), .faint),
                        .init(SafeText.neutralised("\(category.name)/\(definition.name)"), .heading),
                        .init(String(category.parameters.count + definition.parameters.count)),
                        description(definition),
                    ])
                }
            }
        }
        return isEmpty ? "No definitions.\n" : table.rendered(style)
    }

    /// One definition in full.
    package func text(_ definition: DefinitionReply) -> String {
        var heading = StyledLine(SafeText.neutralised("\(definition.category)/\(definition.name)"), .heading)
        if definition.obsolete { heading.append(" [obsolete]", .warning) }
        heading.append(SafeText.neutralised("  \(definition.dictionary), \(definition.source)"), .faint)
        let blocks = [
            heading.rendered(style) + "\n" + TextBlock.wrapped(definition.description, indent: 2, style),
            parameters("Parameters", definition.parameters),
            parameters("Parameters of the category", definition.categoryParameters),
            parameters("Common parameters", definition.commonParameters),
        ]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func description(_ definition: DefinitionList.Item) -> TextTable.Cell {
        let first = String(definition.description.prefix { $0 != "\n" })
        return definition.obsolete
            ? TextTable.Cell("[obsolete] " + SafeText.neutralised(first), .faint)
            : TextTable.Cell(SafeText.neutralised(first))
    }

    private func parameters(_ heading: String, _ parameters: [ParameterReply]) -> String {
        guard !parameters.isEmpty else { return "" }
        let names = parameters.map { SafeText.neutralised($0.name) }
        let nameWidth = names.map { DisplayWidth.columns($0) }.max() ?? 0
        let typeWidth = min(32, parameters.map { DisplayWidth.columns($0.typeText) }.max() ?? 0)
        var text = StyledLine(heading, .heading).rendered(style) + "\n"
        for (name, parameter) in zip(names, parameters) {
            var line = StyledLine("  ")
            line.append(name + "  ", .plain, columns: nameWidth + 2)
            line.append(parameter.typeText + "  ", .note, columns: typeWidth + 2)
            line.append(SafeText.neutralised(parameter.description.first ?? ""))
            text += line.rendered(style) + "\n"
            let indent = nameWidth + typeWidth + 6
            for more in parameter.description.dropFirst() { text += TextBlock.wrapped(more, indent: indent, style) }
        }
        return text
    }
}
