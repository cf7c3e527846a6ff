import API
import Model

/// The parameters of one event with their definitions; common parameters are separate.
struct ParameterSheet {
    private let style: Style
    private let event: EventLine
    /// The definitions of common parameters.
    private let common: [ExactString: ParameterReply]
    /// Those of the event and its category.
    private let own: [ExactString: ParameterReply]
    /// Where the event has its key, which no definition describes; `nil` if there is no definition.
    private let key: [String]?
    private let hasObject: Bool

    init(_ detail: EventDetail, style: Style) {
        self.style = style
        event = detail.event
        let definition = detail.definition
        key = definition?.key
        hasObject = definition?.parametersAt != nil
        func byName(_ parameters: [ParameterReply]) -> [ExactString: ParameterReply] {
            Dictionary(parameters.map { (ExactString($0.name), $0) }, uniquingKeysWith: { _, last in last })
        }
        common = byName(definition?.commonParameters ?? [])
        own = byName((definition?.categoryParameters ?? []) + (definition?.parameters ?? []))
    }

    func text(_ parameters: [ParameterText]) -> String {
        let shared = parameters.filter { !$0.isInObject && common[$0.key] != nil }
        let own = parameters.filter { $0.isInObject || common[$0.key] == nil }
        return [section("Parameters", own), section("Common parameters", shared)].filter { !$0.isEmpty }
            .joined(separator: "\n")
    }

    private func definition(of parameter: ParameterText) -> ParameterReply? {
        if hasObject { return parameter.isInObject ? own[parameter.key] : common[parameter.key] }
        return own[parameter.key] ?? common[parameter.key]
    }

    private func section(_ heading: String, _ parameters: [ParameterText]) -> String {
        guard !parameters.isEmpty else { return "" }
        let nameWidth = column(parameters.map(\.name), most: 32)
        let valueWidth = column(parameters.map { shown($0.value) }, most: 40)
        let typeWidth = column(parameters.map { type($0) }, most: 24)
        let broken = event.violations.brokenPlaces
        return StyledLine(heading, .heading).rendered(style) + "\n"
            + parameters.map { parameter in
                var line = StyledLine("  ")
                line.append(parameter.name + "  ", .faint, columns: nameWidth + 2)
                let tint: Tint = broken.contains(ExactString(parameter.place)) ? .bad : .plain
                line.append(shown(parameter.value) + "  ", tint, columns: valueWidth + 2)
                line.append(type(parameter) + "  ", .note, columns: typeWidth + 2)
                line.append(description(parameter), .faint)
                return line.rendered(style) + "\n"
            }.joined()
    }

    private func column(_ texts: [String], most: Int) -> Int {
        min(most, texts.map { DisplayWidth.columns($0) }.max() ?? 0)
    }

    /// The payload is printed in full below.
    private func shown(_ value: String) -> String { DisplayWidth.cut(String(value.prefix(61)), to: 60) }

    private func type(_ parameter: ParameterText) -> String {
        if let definition = definition(of: parameter) { return definition.typeText }
        guard let key else { return "" }
        return key.contains(parameter.place) ? "key" : "not defined"
    }

    private func description(_ parameter: ParameterText) -> String {
        SafeText.neutralised(definition(of: parameter)?.description.joined(separator: " · ") ?? "")
    }
}
