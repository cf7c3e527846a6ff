import API
import Model

/// Renders a list of definitions as text, one on each line.
struct DefinitionTable: Sendable {
    private let style: Style

    init(style: Style) {
        self.style = style
    }

    func text(_ lists: [DefinitionList]) -> String {
        let showsDictionary = Set(exact: lists.map(\.dictionary)).count > 1
        let first = showsDictionary ? 1 : 0
        var table = TextTable(
            (showsDictionary ? ["DICTIONARY"] : [])
                + ["EVENT", "PARAMS", "STATE", "EVENTS", "LAST SEEN", "DESCRIPTION"],
            numeric: [first + 1, first + 3], names: Set(0...first), prose: first + 5)
        var isEmpty = true
        for list in lists {
            for category in list.categories {
                for definition in category.definitions {
                    isEmpty = false
                    let dictionary = TextTable.Cell(SafeText.neutralised(list.dictionary), .faint)
                    table.append((showsDictionary ? [dictionary] : []) + cells(definition, of: category))
                }
            }
        }
        return isEmpty ? "No definitions.\n" : table.rendered(style)
    }

    private func cells(_ definition: DefinitionList.Item, of category: DefinitionList.Category) -> [TextTable.Cell] {
        let key = SafeText.neutralised("\(category.name)/\(definition.name)")
        let seen = definition.seen.values.reduce(0, +)
        let first = String(definition.description.prefix { !$0.isNewline })
        return [
            .init(key, .heading),
            .init(Quantity.count(category.parameters.count + definition.parameters.count)),
            .init(definition.state.rawValue, definition.state.tint),
            .init(Quantity.count(seen), seen == 0 ? .faint : .plain),
            .init(definition.lastSeen.map(style.short) ?? "-"),
            .init(SafeText.neutralised(first), definition.obsolete ? .faint : .plain),
        ]
    }
}

extension DefinitionState {
    var tint: Tint {
        switch self {
        case .seen: .good
        case .unseen: .warning
        case .obsolete: .faint
        }
    }
}
