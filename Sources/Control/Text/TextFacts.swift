import Model

/// Names and values, the values aligned and broken between words at the terminal's width.
struct TextFacts {
    typealias Fact = (name: String, value: String, tint: Tint)

    private let facts: [Fact]

    init(_ facts: [(String, String)]) {
        self.init(facts.map { (name: $0, value: $1, tint: .plain) })
    }

    init(_ facts: [Fact]) {
        self.facts = facts
    }

    func rendered(_ style: Style) -> String {
        let indent = 4 + (facts.map { DisplayWidth.columns($0.name) }.max() ?? 0)
        let room = style.width.map { max(20, $0 - indent) } ?? .max
        return facts.map { fact in
            let lines = TextBlock.lines(SafeText.neutralised(fact.value), room: room)
            return lines.enumerated().map { index, text in
                var line = StyledLine()
                line.append(index == 0 ? "  \(fact.name)" : "", .faint, columns: indent)
                line.append(text, fact.tint)
                return line.rendered(style.uncut) + "\n"
            }.joined()
        }.joined()
    }
}
