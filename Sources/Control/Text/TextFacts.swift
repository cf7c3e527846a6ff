import Model

/// A list of names and values. The values are aligned and broken between words at the width of the terminal, except
/// those that readers copy.
struct TextFacts {
    typealias Fact = (name: String, value: String, tint: Tint)

    private let facts: [Fact]
    /// The names whose values stay on one line.
    private let whole: Set<ExactString>

    init(_ facts: [(String, String)], whole: Set<ExactString> = []) {
        self.init(facts.map { (name: $0, value: $1, tint: .plain) }, whole: whole)
    }

    init(_ facts: [Fact], whole: Set<ExactString> = []) {
        self.facts = facts
        self.whole = whole
    }

    func rendered(_ style: Style) -> String {
        let indent = 4 + (facts.map { DisplayWidth.columns($0.name) }.max() ?? 0)
        let room = style.width.map { max(20, $0 - indent) } ?? .max
        let style = style.uncut
        var result = ""
        for fact in facts {
            let value = SafeText.neutralised(fact.value)
            let lines = whole.contains(fact.name) ? [value] : TextBlock.lines(value, room: room)
            for (index, text) in lines.enumerated() {
                var line = StyledLine()
                line.append(spaces: 2)
                line.append(index == 0 ? SafeText.neutralised(fact.name) : "", .faint, columns: indent - 2)
                line.append(text, fact.tint)
                line.render(style, into: &result)
                result += "\n"
            }
        }
        return result
    }
}
