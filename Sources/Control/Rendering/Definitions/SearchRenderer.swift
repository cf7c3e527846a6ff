import API
import Model

/// Renders the result of a search as text: common parameters, types, categories and definitions, each with the texts that have
/// the words.
struct SearchRenderer: Sendable {
    private let search: WordSearch
    private let style: Style

    /// The least width of the description of a parameter beside its name.
    private static let leastText = 24

    init(_ search: String, style: Style) {
        self.search = WordSearch(search)
        self.style = style
    }

    func text(_ lists: [DefinitionList]) -> String {
        let showsDictionary = Set(exact: lists.map(\.dictionary)).count > 1
        func blocks(_ block: (DefinitionList, _ dictionary: String?) -> [String]) -> [String] {
            lists.flatMap { block($0, showsDictionary ? $0.dictionary : nil) }
        }
        let common = blocks { list, dictionary in self.common(list, dictionary) }
        let types = blocks { list, dictionary in (list.types ?? []).map { text($0, dictionary) } }
        let categories = blocks { list, dictionary in
            list.categories.filter { $0.matches != nil }.map { text($0, dictionary) }
        }
        let definitions = blocks { list, dictionary in
            list.categories.flatMap { category in
                category.definitions.map { text($0, category, list.commonParameters, dictionary) }
            }
        }
        return (common + types + categories + definitions).joined(separator: "\n")
    }

    private func common(_ list: DefinitionList, _ dictionary: String?) -> [String] {
        let found = Set(exact: (list.commonMatches ?? []).compactMap(\.parameter))
        let parameters = list.commonParameters.filter { found.contains($0.name) }
        guard !parameters.isEmpty else { return [] }
        return [
            heading(dictionary) { $0.append("Common parameters", .heading) }
                + parameters.map { rendered($0, behind: "") }.joined()
        ]
    }

    private func text(_ found: DefinitionList.FoundType, _ dictionary: String?) -> String {
        let type = found.type
        var text = heading(dictionary) { line in
            line.append("type ", .faint)
            append(type.name, .heading, to: &line)
        }
        for line in said(type.description) { text += rendered(line) }
        if let values = type.values, values.contains(where: search.matches) {
            text += rendered("values: \(values.joined(separator: ", "))")
        }
        let names = Set(exact: found.matches.compactMap(\.parameter))
        for member in (type.members ?? []) where names.contains(member.name) {
            text += rendered(member, behind: "member ")
        }
        return text
    }

    private func text(_ category: DefinitionList.Category, _ dictionary: String?) -> String {
        let heading = heading(dictionary) { line in
            line.append("category ", .faint)
            append(category.name, .heading, to: &line)
        }
        let title = category.title.flatMap { $0 != category.name && search.matches($0) ? [$0] : nil } ?? []
        return heading + (title + said(category.description)).map { rendered($0) }.joined()
    }

    private func text(
        _ definition: DefinitionList.Item, _ category: DefinitionList.Category, _ common: [ParameterReply],
        _ dictionary: String?
    ) -> String {
        let matches = definition.matches ?? []
        var text = heading(dictionary) { line in
            append("\(category.name)/\(definition.name)", .heading, to: &line)
            if definition.state != .seen { line.append(" \(definition.state.rawValue)", definition.state.tint) }
        }
        for line in said(definition.description) { text += rendered(line) }
        let found = Set(exact: matches.compactMap(\.parameter))
        for parameter in (category.parameters + definition.parameters) where found.contains(parameter.name) {
            text += rendered(parameter, behind: "parameter ")
        }
        // The words that are not in the definition itself.
        for parameter in common where found.contains(parameter.name) {
            text += rendered(parameter, behind: "common parameter ")
        }
        if matches.contains(where: { $0.place == .categoryTitle }) {
            text += rendered(category.title ?? "", behind: "category ")
        }
        if matches.contains(where: { $0.place == .categoryDescription }) {
            for line in lines(category.description) where search.matches(line) {
                text += rendered(line, behind: "category ")
            }
        }
        return text
    }

    /// A name is shown as a whole, so that it can be copied.
    private func heading(_ dictionary: String?, _ write: (inout StyledLine) -> Void) -> String {
        var line = StyledLine()
        write(&line)
        if let dictionary { line.append("  " + SafeText.neutralised(dictionary), .faint) }
        return line.rendered(style.uncut) + "\n"
    }

    /// The first line of a description, and the lines that have the words.
    private func said(_ description: String) -> [String] {
        let lines = lines(description)
        return Array(lines.prefix(1)) + lines.dropFirst().filter(search.matches)
    }

    private func lines(_ text: String) -> [String] { text.split(whereSeparator: \.isNewline).map(String.init) }

    private func rendered(_ text: String, behind label: String = "") -> String {
        var line = StyledLine("  ")
        line.append(label, .faint)
        append(text, .plain, to: &line, room: room(behind: line))
        return line.rendered(style) + "\n"
    }

    private func rendered(_ parameter: ParameterReply, behind label: String) -> String {
        var line = StyledLine("  ")
        line.append(label, .faint)
        append(parameter.name, .plain, to: &line)
        line.append(" ")
        append(parameter.typeName, .note, to: &line)
        let matching = parameter.description.filter(search.matches)
        var says = (matching.isEmpty ? Array(parameter.description.prefix(1)) : matching).joined(separator: " · ")
        if let values = parameter.values, values.contains(where: search.matches) {
            says += (says.isEmpty ? "" : " · ") + "values: \(values.joined(separator: ", "))"
        }
        guard !says.isEmpty else { return line.rendered(style.uncut) + "\n" }
        line.append("  ")
        if let room = room(behind: line), room < Self.leastText {
            return line.rendered(style.uncut) + "\n" + rendered(says, behind: "    ")
        }
        append(says, .plain, to: &line, room: room(behind: line))
        return line.rendered(style) + "\n"
    }

    private func room(behind line: StyledLine) -> Int? {
        style.isCut ? style.width.map { max(0, $0 - line.width) } : nil
    }

    private func append(_ text: String, _ tint: Tint, to line: inout StyledLine, room: Int? = nil) {
        for piece in search.pieces(SafeText.neutralised(text), room: room) {
            line.append(piece.text, piece.isMatch ? .match : tint)
        }
    }
}
