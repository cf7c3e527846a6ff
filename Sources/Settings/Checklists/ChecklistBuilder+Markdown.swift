import Model

extension ChecklistBuilder {
    /// What the lines below a heading belong to.
    private enum Section {
        case top
        case order
        case funnel(String)
        /// It may be meant as another heading.
        case like(String)
        case other

        /// Whether it has only tasks, and text for people.
        var isText: Bool {
            switch self {
            case .like, .other: true
            case .top, .order, .funnel: false
            }
        }
    }

    /// The steps and options below a heading.
    private struct Sequence {
        var steps: [String] = []
        var options: [(key: String, value: String, line: Int)] = []
        var line: Int?
    }

    /// The beginning of a code block, whose lines are for people.
    /// - Source: CommonMark 0.31, 4.5
    private struct Fence {
        let marks: String
        let line: Int

        /// - Returns: `nil` for a line that begins no code block.
        init?(_ text: String, line: Int) {
            guard let mark = text.utf8.first, mark == 0x60 || mark == UInt8(ascii: "~") else { return nil }
            let marks = text.utf8.prefix { $0 == mark }
            // With another backtick behind them, they begin a code span.
            guard marks.count >= 3, mark != 0x60 || !text.utf8[marks.endIndex...].contains(mark) else { return nil }
            (self.marks, self.line) = (String(Substring(marks)), line)
        }

        func ends(with text: String) -> Bool {
            text.utf8.count >= marks.utf8.count && text.utf8.allSatisfy { $0 == marks.utf8.first }
        }
    }

    /// Reads a list in Markdown: a heading with the name, text, tasks, and sections with numbered steps.
    mutating func read(markdown text: String) {
        var (section, sequence, prose) = (Section.top, Sequence(), [String]())
        var (hasName, code) = (false, Fence?.none)
        for (index, line) in text.utf8.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let (number, line) = (index + 1, String(Substring(line)).trimmed)
            if let fence = code {
                if fence.ends(with: line) { code = nil }
            } else if let fence = Fence(Self.bullet(line) ?? Self.step(line) ?? line, line: number) {
                code = fence
            } else if let heading = line.rest(after: "# "), !hasName {
                hasName = true
                rename(String(heading).trimmed, line: number)
            } else if let heading = line.rest(after: "## ") {
                finish(section, sequence)
                (section, sequence) = (Self.section(String(heading).trimmed), Sequence(line: number))
            } else if let like = Self.sectionOfOtherLevel(line) {
                finish(section, sequence)
                (section, sequence) = (like, Sequence(line: number))
            } else if let item = Self.bullet(line) {
                if item.hasPrefix("[") || Self.hasBox(item) {
                    readTask(item, number)
                } else if section.isText {
                    continue
                } else if let (key, value) = Self.option(item) {
                    sequence.options.append((key, value, number))
                } else if sequence.line != nil {
                    report("write `1. STEP`, or `- KEY: VALUE`", number)
                } else if let key = Self.topKey(meantBy: item) {
                    report("write `- \(key): VALUE`", number)
                }
            } else if Self.hasBox(line) {
                report("a task begins with `- [ ]`", number)
            } else if let step = Self.step(line) {
                sequence.steps.append(Self.unquoted(step))
            } else if case .top = section, hasName, !line.isEmpty {
                prose.append(line)
            }
        }
        if let code { report("a code block without an end: close it with \(code.marks)", code.line) }
        finish(section, sequence)
        describe(prose.joined(separator: "\n"))
    }

    private static func section(_ heading: String) -> Section {
        let word = String(heading.prefix { $0.isASCII && $0.isLetter })
        let rest = heading.dropFirst(word.count)
        let isWhole = rest.first?.isWhitespace ?? true
        switch word {
        case "Order" where isWhole: return .order
        case "Funnel" where isWhole: return .funnel(String(rest.drop(while: \.isWhitespace)).trimmed)
        default:
            let meant = ["order": "Order", "orders": "Order", "funnel": "Funnel", "funnels": "Funnel"]
            return meant[word.lowercased()].map(Section.like) ?? .other
        }
    }

    /// - Returns: what a heading that is not of the second level may be meant as; `nil` for other lines.
    private static func sectionOfOtherLevel(_ line: String) -> Section? {
        let marks = line.utf8.prefix { $0 == UInt8(ascii: "#") }.count
        let rest = line.utf8.dropFirst(marks)
        guard (1...6).contains(marks), rest.first == 0x20 else { return nil }
        switch section(String(Substring(rest)).trimmed) {
        case .order: return .like("Order")
        case .funnel: return .like("Funnel")
        case .like(let heading): return .like(heading)
        case .top, .other: return nil
        }
    }

    /// Whether a line begins like a task, with whatever mark.
    private static func hasBox(_ line: String) -> Bool {
        let rest = line.drop { $0.isNumber || $0.isWhitespace || ".)-*+・•‣–—".contains($0) }
        return ["[ ]", "[x]", "[X]", "［ ］", "［　］", "［x］", "［X］"].contains { rest.hasPrefix($0) }
    }

    /// - Returns: what is behind the mark of a bullet.
    private static func bullet(_ line: String) -> String? {
        (line.rest(after: "- ") ?? line.rest(after: "* ") ?? line.rest(after: "+ ")).map { String($0).trimmed }
    }

    /// - Returns: what is behind the number of a numbered line.
    private static func step(_ line: String) -> String? {
        let digits = line.utf8.prefix(while: \.isDigit)
        guard (1...3).contains(digits.count) else { return nil }
        let rest = line.utf8.dropFirst(digits.count)
        guard let mark = rest.first, mark == UInt8(ascii: ".") || mark == UInt8(ascii: ")"),
            rest.dropFirst().first == UInt8(ascii: " ")
        else { return nil }
        return String(Substring(rest.dropFirst(2))).trimmed
    }

    private static func option(_ item: String) -> (String, String)? {
        guard let parts = item.parts(at: ":") else { return nil }
        let key = String(parts.before).trimmed
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x20 }) else { return nil }
        return (key, unquoted(String(parts.after).trimmed))
    }

    private static let topKeys = ["predicate", "violating"]

    /// - Returns: the key of the option that an item is meant to be, although it is none: `**Violating**: refuse`.
    private static func topKey(meantBy item: String) -> String? {
        guard let end = item.unicodeScalars.firstIndex(where: { $0 == ":" || $0 == "：" }) else { return nil }
        let word = item[..<end].filter(\.isLetter).lowercased()
        return topKeys.first { $0 == word }
    }

    private static func unquoted(_ text: String) -> String {
        var rest = text[...]
        if let code = takeCode(&rest), rest.isEmpty { return code }
        guard text.utf8.count > 1, text.utf8.first == 0x60, text.utf8.last == 0x60 else { return text }
        return String(Substring(text.utf8.dropFirst().dropLast()))
    }

    // MARK: tasks

    /// `[ ] KEY`, then a predicate between backticks, numbers in brackets, and a name behind a colon.
    private mutating func readTask(_ task: String, _ line: Int) {
        guard let box = ["[ ]", "[x]", "[X]"].first(where: task.hasPrefix) else {
            return report("write `- [ ] CATEGORY/NAME`", line)
        }
        var rest = String(Substring(task.utf8.dropFirst(box.utf8.count))).trimmed[...]
        guard let event = Self.take(&rest) else {
            return report("a task without an event: write `- [ ] CATEGORY/NAME`", line)
        }
        var predicate: String?
        if rest.utf8.first == 0x60 { predicate = Self.take(&rest) }
        var counts: (minimum: Int?, maximum: Int?) = (nil, nil)
        if rest.utf8.first == UInt8(ascii: "("), let parts = rest.dropFirst().parts(at: ")") {
            guard let numbers = Self.numbers(String(parts.before).trimmed) else {
                return report("(\(parts.before)): write (never), (2), (1 to 3), (at least 2) or (at most 3)", line)
            }
            counts = numbers
            rest = String(parts.after).trimmed[...]
        }
        var name: String?
        if let text = rest.rest(after: ":") {
            name = String(text).trimmed
        } else if !rest.isEmpty {
            report("`\(rest)` is not understood: a name has a colon before it", line)
        }
        add(event: event, name: name?.isEmpty ?? true ? nil : name, predicate: predicate, counts: counts, line: line)
    }

    /// Takes a word, or a code span.
    private static func take(_ rest: inout Substring) -> String? {
        if rest.utf8.first == 0x60 {
            let code = takeCode(&rest)
            rest = String(rest).trimmed[...]
            return code?.isEmpty ?? true ? nil : code
        }
        let end = rest.utf8.firstIndex { $0 == 0x20 || $0 == 0x60 }
        var word = rest[..<(end ?? rest.endIndex)]
        var tail = end.map { rest[$0...] } ?? ""
        if word.utf8.last == UInt8(ascii: ":") {
            word = word.dropLast()
            tail = ":" + tail
        }
        rest = String(tail).trimmed[...]
        return word.isEmpty ? nil : String(word)
    }

    /// Takes a code span: what is between two runs of as many backticks, without the spaces that may be beside both.
    /// - Source: CommonMark 0.31, 6.1
    private static func takeCode(_ rest: inout Substring) -> String? {
        let fence = rest.utf8.prefix { $0 == 0x60 }.count
        let text = rest.utf8.dropFirst(fence)
        var place = text.startIndex
        while fence > 0, let start = text[place...].firstIndex(of: 0x60) {
            place = text[start...].firstIndex { $0 != 0x60 } ?? text.endIndex
            guard text[start..<place].count == fence else { continue }
            var code = text[..<start]
            if code.first == 0x20, code.last == 0x20, code.contains(where: { $0 != 0x20 }) {
                code = code.dropFirst().dropLast()
            }
            rest = Substring(text[place...])
            return String(Substring(code))
        }
        return nil
    }

    private static func numbers(_ text: String) -> (minimum: Int?, maximum: Int?)? {
        if text == "never" { return (0, 0) }
        func number(_ text: some StringProtocol) -> Int? {
            Int(String(text).trimmed).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
        }
        if let least = text.rest(after: "at least ") { return number(least).map { ($0, nil) } }
        if let most = text.rest(after: "at most ") { return number(most).map { (min(1, $0), $0) } }
        if let one = number(text) { return (one, one) }
        let words = text.utf8.split(separator: 0x20).map { String(Substring($0)) }
        guard words.count == 3, words[1] == "to", let least = number(words[0]), let most = number(words[2]) else {
            return nil
        }
        return (least, most)
    }

    // MARK: sections

    private mutating func finish(_ section: Section, _ sequence: Sequence) {
        switch section {
        case .other: return
        case .like(let heading):
            guard !sequence.steps.isEmpty else { return }
            report("steps are below `## \(heading)`; other headings are for people", sequence.line)
        case .top:
            let options = options(of: sequence, Self.topKeys)
            if let (predicate, line) = options["predicate"] { filter(predicate, line: line) }
            guard let (text, line) = options["violating"] else { return }
            guard let choice = Checklist.WhenViolating(rawValue: text) else {
                return report("violating has to be warn or refuse", line)
            }
            use(choice)
        case .order:
            let within = options(of: sequence, ["within"])["within"].flatMap { duration($0) }
            add(order: sequence.steps, within: within, line: sequence.line)
        case .funnel(let name):
            let options = options(of: sequence, ["by", "within", "min"])
            var minimum: Int?
            if let (text, line) = options["min"] {
                if let number = Int(text), (0...1_000_000).contains(number) {
                    minimum = number
                } else {
                    report("min has to be a number", line)
                }
            }
            add(
                funnel: name.isEmpty ? nil : name, steps: sequence.steps, by: options["by"]?.text,
                within: options["within"].flatMap { duration($0) }, minimum: minimum, line: sequence.line)
        }
    }

    private func options(of sequence: Sequence, _ known: [String]) -> [ExactString: (text: String, line: Int)] {
        var options: [ExactString: (String, Int)] = [:]
        for (key, value, line) in sequence.options {
            if !known.contains(key) {
                report("unknown key \(key): there are \(known.joined(separator: ", "))", line)
            } else if options.updateValue((value, line), forKey: ExactString(key)) != nil {
                report("written more than once: \(key)", line)
            }
        }
        return options
    }

    private func duration(_ option: (text: String, line: Int)) -> Duration? {
        if let duration = DurationText.parse(option.text), Self.limits.contains(duration) { return duration }
        report("within has to be a duration such as 500ms, 30s, 5m or 24h", option.line)
        return nil
    }
}
