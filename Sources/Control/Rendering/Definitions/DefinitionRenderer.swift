import API
import Model

/// Renders everything about one definition as text.
struct DefinitionRenderer: Sendable {
    private let style: Style

    /// The least width of the description of a parameter.
    private static let leastText = 24

    init(style: Style) {
        self.style = style
    }

    func text(_ detail: DefinitionDetail) -> String {
        let definition = detail.definition
        let blocks =
            [
                heading(detail), TextFacts(facts(detail)).rendered(style), violations(detail.facts.violations),
                parameters("Parameters", definition.parameters),
                parameters("Parameters of the category", definition.categoryParameters),
                parameters("Common parameters", definition.commonParameters),
            ] + definition.types.map(type) + [
                columns(definition), LinkList(detail.facts.links).rendered(style), example(detail.example),
            ]
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n")
    }

    private func heading(_ detail: DefinitionDetail) -> String {
        let definition = detail.definition
        var heading = StyledLine(SafeText.neutralised("\(definition.category)/\(definition.name)"), .heading)
        heading.append(" \(detail.facts.state.rawValue)", detail.facts.state.tint)
        return heading.rendered(style.uncut) + "\n" + TextBlock.wrapped(definition.description, indent: 2, style)
    }

    private func facts(_ detail: DefinitionDetail) -> [(String, String)] {
        let definition = detail.definition
        let usage = detail.facts.usage
        var facts = [
            ("Category", firstLine(definition.categoryDescription)),
            (
                "Dictionary",
                "\(definition.dictionary), version \(detail.facts.version), loaded \(style.short(detail.facts.loadedAt))"
            ),
            ("Written in", definition.source),
            ("Sent as", sentAs(definition)),
            ("Other parameters", definition.extraParameters ? "allowed" : ""),
            ("Watched since", usage.watchedSince.map(style.short) ?? ""),
            ("Events", counts(usage.total)),
        ]
        if !usage.total.isEmpty {
            facts += [("Last 24 hours", counts(usage.day)), ("Last 7 days", counts(usage.week))]
            facts += [
                ("First seen", usage.firstSeen.map(style.short) ?? ""),
                ("Last seen", usage.lastSeen.map(style.short) ?? ""),
            ]
        }
        return facts.filter { !$0.1.isEmpty }
    }

    /// How payloads name the event, if it is not by its category and its name: `event=Order Completed`.
    private func sentAs(_ definition: DefinitionReply) -> String {
        let names = [definition.category, definition.name]
        guard !definition.sentAs.elementsEqual(names, by: ==) else { return "" }
        return zip(definition.key, definition.sentAs).map { "\($0)=\($1)" }.joined(separator: ", ")
    }

    private func type(_ type: TypeReply) -> String {
        var heading = StyledLine("Type ", .heading)
        heading.append(SafeText.neutralised(type.name), .heading)
        if let other = type.sameAs { heading.append(" \(SafeText.neutralised(other))", .note) }
        if type.extraParameters { heading.append(", with any other members", .faint) }
        heading.append("  \(SafeText.neutralised(type.source))", .faint)
        var text = heading.rendered(style.uncut) + "\n" + TextBlock.wrapped(type.description, indent: 2, style)
        if let values = type.values {
            text += TextBlock.wrapped("values: \(values.joined(separator: ", "))", indent: 2, style)
        }
        return text + list(type.members ?? [])
    }

    /// The columns that have another name than the parameter.
    private func columns(_ definition: DefinitionReply) -> String {
        let object = definition.parametersAt.map { "\($0)." } ?? ""
        let renamed = definition.columns.filter { ($0.path.rest(after: object) ?? $0.path[...]) != $0.column }
        guard !renamed.isEmpty else { return "" }
        var table = TextTable(["  PATH", "COLUMN"], names: [0, 1])
        for column in renamed {
            table.append([.init("  " + SafeText.neutralised(column.path)), .init(SafeText.neutralised(column.column))])
        }
        return StyledLine("Columns with other names in SQL", .heading).rendered(style) + "\n" + table.rendered(style)
    }

    private func firstLine(_ text: String) -> String { String(text.prefix { !$0.isNewline }) }

    /// `1,234: 1,200 resolved, 34 violating`
    private func counts(_ counts: [String: Int64]) -> String {
        let sums = EventSums(counts)
        return sums.total > 0 ? "\(Quantity.count(sums.total)): \(sums.parts)" : "none"
    }

    private func violations(_ violations: [ViolationUse]) -> String {
        guard !violations.isEmpty else { return "" }
        var table = TextTable(["  PARAMETER", "RULE", "COUNT", "LAST SEEN"], numeric: [2], names: [0])
        for violation in violations {
            table.append([
                .init("  " + SafeText.neutralised(name: violation.parameter ?? ""), .heading),
                .init(SafeText.neutralised(violation.rule), .bad),
                .init(Quantity.count(violation.count)),
                .init(style.short(violation.lastSeen)),
            ])
        }
        return StyledLine("Violations", .heading).rendered(style) + "\n" + table.rendered(style)
    }

    private func parameters(_ heading: String, _ parameters: [ParameterReply]) -> String {
        guard !parameters.isEmpty else { return "" }
        return StyledLine(heading, .heading).rendered(style) + "\n" + list(parameters)
    }

    private func list(_ parameters: [ParameterReply]) -> String {
        let nameWidth = min(32, parameters.map { DisplayWidth.columns(SafeText.neutralised($0.name)) }.max() ?? 0)
        let typeWidth = min(32, parameters.map { DisplayWidth.columns($0.typeName) }.max() ?? 0)
        let isBeside = style.width.map { nameWidth + typeWidth + 6 + Self.leastText <= $0 } ?? true
        // If the descriptions do not fit beside the names and types, they are printed below them.
        let indent = isBeside ? nameWidth + typeWidth + 6 : 6
        let room = style.width.map { max(Self.leastText, $0 - indent) } ?? .max
        return parameters.map { parameter in
            var line = StyledLine("  ")
            line.append(SafeText.neutralised(parameter.name) + "  ", .plain, columns: nameWidth + 2)
            line.append(parameter.typeName + "  ", .note, columns: typeWidth + 2)
            var says = parameter.description.flatMap { TextBlock.lines($0, room: room) }.map { ($0, Tint.plain) }
            says += TextBlock.lines(parameter.annotations, room: room).map { ($0, Tint.accent) }
            if line.width == indent, let (first, tint) = says.first {
                line.append(first, tint)
                says.removeFirst()
            }
            let below = says.map { text, tint in
                var line = StyledLine(String(repeating: " ", count: indent))
                line.append(text, tint)
                return line
            }
            return ([line] + below).map { $0.rendered(style.uncut) + "\n" }.joined()
        }.joined()
    }

    private func example(_ event: EventLine?) -> String {
        guard let event else { return "" }
        var line = StyledLine("Example: event \(event.id) ", .heading)
        line.append(event.resolution.rawValue, event.resolution.tint)
        line.append(", \(style.short(event.time))")
        let renderer = EventDetailRenderer(style: style)
        let parts = [renderer.findings(event), renderer.content(event)]
        return ([line.rendered(style) + "\n"] + parts.filter { !$0.isEmpty }).joined()
    }
}
