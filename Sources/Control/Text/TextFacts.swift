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
        var text = ""
        render(style, into: &text)
        return text
    }

    /// Appends what `rendered` returns.
    func render(_ style: Style, into result: inout String) {
        let indent = 4 + (facts.map { DisplayWidth.columns($0.name) }.max() ?? 0)
        let room = style.width.map { max(20, $0 - indent) } ?? .max
        let style = style.uncut
        var line = StyledLine()
        func write(_ name: String, _ text: String, _ tint: Tint) {
            line.removeAll()
            line.append(spaces: 2)
            line.append(name, .faint, columns: indent - 2)
            line.append(text, tint)
            line.render(style, into: &result)
            result += "\n"
        }
        for fact in facts {
            let (name, value) = (SafeText.neutralised(fact.name), SafeText.neutralised(fact.value))
            if TextBlock.isOneLine(value, room: room) || whole.contains(fact.name) {
                write(name, value, fact.tint)
                continue
            }
            for (place, text) in TextBlock.lines(value, room: room).enumerated() {
                write(place == 0 ? name : "", text, fact.tint)
            }
        }
    }
}
