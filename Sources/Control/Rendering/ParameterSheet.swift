import API
import Model

/// The parameters of one event with their definitions; common parameters are separate.
struct ParameterSheet {
    private let style: Style
    private let broken: Set<ExactString>
    private let definitions: [ExactString: ParameterReply]
    private let common: Set<ExactString>
    /// The members with the key of the event, which no definition describes; `nil` if there is no definition.
    private let key: [String]?

    init(_ detail: EventDetail, style: Style) {
        self.style = style
        // Of a nested value such as `items[3].price`, the parameter that has it.
        broken = Set(
            exact: detail.event.violations.flatMap { violation in
                [violation.parameter, String(violation.parameter.prefix { $0 != "." && $0 != "[" })]
            })
        let definition = detail.definition
        key = definition?.key
        common = Set(exact: definition?.commonParameters.map(\.name) ?? [])
        let all =
            (definition?.commonParameters ?? []) + (definition?.categoryParameters ?? [])
            + (definition?.parameters ?? [])
        definitions = Dictionary(all.map { (ExactString($0.name), $0) }, uniquingKeysWith: { _, last in last })
    }

    func text(_ parameters: [ParameterText]) -> String {
        let own = parameters.filter { !common.contains($0.key) }
        let shared = parameters.filter { common.contains($0.key) }
        return [section("Parameters", own), section("Common parameters", shared)].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    private func section(_ heading: String, _ parameters: [ParameterText]) -> String {
        guard !parameters.isEmpty else { return "" }
        let nameWidth = column(parameters.map(\.name), most: 32)
        let valueWidth = column(parameters.map { shown($0.value) }, most: 40)
        let typeWidth = column(parameters.map { type($0.key) }, most: 24)
        return StyledLine(heading, .heading).rendered(style) + "\n"
            + parameters.map { parameter in
                var line = StyledLine("  ")
                line.append(parameter.name + "  ", .faint, columns: nameWidth + 2)
                let tint: Tint = broken.contains(parameter.key) ? .bad : .plain
                line.append(shown(parameter.value) + "  ", tint, columns: valueWidth + 2)
                line.append(type(parameter.key) + "  ", .note, columns: typeWidth + 2)
                line.append(description(parameter.key), .faint)
                return line.rendered(style) + "\n"
            }.joined()
    }

    private func column(_ texts: [String], most: Int) -> Int {
        min(most, texts.map { DisplayWidth.columns($0) }.max() ?? 0)
    }

    /// The payload is printed in full below.
    private func shown(_ value: String) -> String { DisplayWidth.cut(String(value.prefix(61)), to: 60) }

    private func type(_ name: String) -> String {
        if let definition = definitions[name] { return definition.typeText }
        guard let key else { return "" }
        return key.contains(name) ? "key" : "not defined"
    }

    private func description(_ name: String) -> String {
        SafeText.neutralised(definitions[name]?.description.joined(separator: " · ") ?? "")
    }
}
