import Model

/// Finds lines that look like a heading or a parameter but that Redcarpet makes a part of something else, so that
/// daifuku silently loses them.
enum LostLines {
    private static let headingInList = "this heading belongs to the list above it: put an empty line before it"

    static func check(_ block: MarkdownBlock, _ problems: inout ProblemList) {
        switch block.content {
        case .paragraph: paragraph(block.lines, &problems)
        case .list(let items, let isOrdered):
            for item in items { check(item, isOrdered: isOrdered, &problems) }
        case .quote:
            tags(block.lines, &problems)
            for line in block.lines where !line.isQuote {
                if fullWidth(line, inText: true, &problems) { continue }
                guard isHeading(line) || isParameter(line) else { continue }
                let message = "this line belongs to the quotation above it: put an empty line before it"
                problems.add(.swallowedLine, line.number, message)
            }
        case .code:
            for line in block.lines where isParameter(line.dropping(line.indentation)) {
                let message = "indented by four spaces this is code, not a parameter: begin it with `- `"
                problems.add(.indentedCode, line.number, message)
            }
        case .html: html(block.lines, &problems)
        case .heading: tags(block.lines, &problems)
        case .rule: break
        }
    }

    private static func html(_ lines: [SourceLine], _ problems: inout ProblemList) {
        guard let first = lines.first, let last = lines.last, !first.text.starts(with: "<!--".utf8) else { return }
        let text = lines.map { $0.string.lowercased() }.joined(separator: "\n")
        let isDefinition = ["<h2", "<ul", "<li"].contains { text.contains($0) }
        let lost = "HTML is ignored up to line \(last.number)\(isDefinition ? ", but not by daifuku" : "")"
        problems.add(.ignoredHTML, first.number, "\(lost): write Markdown", as: isDefinition ? .error : nil)
    }

    private static func tags(_ lines: [SourceLine], _ problems: inout ProblemList) {
        guard let line = InlineText.lineWithTag(lines) else { return }
        let message = "the HTML tags in this text are left out: write Markdown, or `` `<` `` for the sign"
        problems.add(.ignoredHTML, line.number, message, at: "<")
    }

    private static func paragraph(_ lines: [SourceLine], _ problems: inout ProblemList) {
        tags(lines, &problems)
        let fenced = InlineText.linesWithinFences(lines)
        let lostList = firstOfLostList(lines)
        var hasList = false
        for (index, line) in lines.enumerated() where !fenced.contains(line.number) {
            let trimmed = line.dropping(line.indentation)
            if isHeading(trimmed) {
                let message = "a heading begins in the first column, so this is text: remove the spaces"
                problems.add(.indentedHeading, line.number, message)
            }
            guard let marker = trimmed.itemMarker else {
                fullWidth(line, inText: index > 0, &problems)
                continue
            }
            guard index > 0, !marker.isOrdered, !hasList else { continue }
            hasList = true
            // A line of full-width spaces is text.
            let isUnderSpaces = lines[index - 1].string.halfWidth.trimmed.isEmpty
            let message =
                isUnderSpaces
                ? "the line above has a full-width space, so that this list is part of the text: make that line empty"
                : "a list directly under text is part of that text: put an empty line before the list"
            let isLost = lostList == index
            problems.add(.listUnderText, line.number, message, as: isLost ? .error : .warning)
            // The rest is checked as the list that it should be.
            if isLost { return }
        }
    }

    /// Returns the index of the first line of a list of parameters that is part of the text directly above it.
    static func firstOfLostList(_ lines: [SourceLine]) -> Int? {
        guard lines.count > 1 else { return nil }
        let fenced = InlineText.linesWithinFences(lines)
        func isItem(_ index: Int) -> Bool {
            let line = lines[index].dropping(lines[index].indentation)
            return !fenced.contains(lines[index].number) && line.itemMarker.map { !$0.isOrdered } ?? false
        }
        guard
            let parameter = lines.indices.dropFirst().first(where: {
                isItem($0) && isParameter(lines[$0].dropping(lines[$0].indentation))
            })
        else { return nil }
        return (1...parameter).first(where: isItem)
    }

    private static func check(_ item: ListItem, isOrdered: Bool, _ problems: inout ProblemList) {
        if isOrdered, let line = ParameterLine(item.text), line.before.isEmpty {
            let message =
                "a numbered list is ignored: write `- \(line.name): \(line.type.base)\(line.type.isOptional ? "?" : "")`"
            problems.add(.numberedList, item.line, message)
        }
        tags(item.lines, &problems)
        for line in item.lines.dropFirst() {
            if isHeading(line) {
                problems.add(.swallowedLine, line.number, headingInList)
            } else if line.isQuote {
                let message = "this quotation belongs to the list above it: put an empty line before it"
                problems.add(.swallowedLine, line.number, message, as: .warning)
            } else {
                fullWidth(line, inText: false, &problems)
            }
        }
        for child in item.children { nested(child, in: item, &problems) }
    }

    private static func nested(_ block: MarkdownBlock, in parent: ListItem, _ problems: inout ProblemList) {
        switch block.content {
        case .heading:
            problems.add(.swallowedLine, block.line, headingInList)
        case .list(let items, _):
            for item in items {
                let line = ParameterLine(item.text).flatMap { $0.before.isEmpty ? $0 : nil }
                if line != nil, item.column < parent.column {
                    problems.add(
                        .outdentedItem, item.line,
                        "begun further left than line \(parent.line), this describes that parameter: indent all alike")
                } else if let line, line.type.base.hasPrefix("!") {
                    problems.add(
                        .nestedParameter, item.line,
                        "indented, this describes the parameter of line \(parent.line): begin it in the same column "
                            + "to define `\(line.name)`")
                }
                check(item, isOrdered: false, &problems)
            }
        case .paragraph, .quote, .code, .html, .rule: break
        }
    }

    /// - Returns: whether the line is text only because of full-width signs; then the problem is reported.
    @discardableResult
    private static func fullWidth(_ line: SourceLine, inText: Bool, _ problems: inout ProblemList) -> Bool {
        guard !AnnotationLine.saysPrivacy(line.string), let meant = FullWidthLine(line) else { return false }
        let rest = inText ? ", with an empty line before it" : ""
        let message = "full-width signs and spaces are text to Markdown: write `\(meant.correction)`\(rest)"
        problems.add(.fullWidthSign, line.number, message, as: meant.severity)
        return true
    }

    /// Whether the line looks like a heading as people write them; `#1` is text.
    static func isHeading(_ line: SourceLine) -> Bool {
        line.text.starts(with: "##".utf8) || line.text.starts(with: "# ".utf8)
    }

    /// Whether the line would define a parameter in a list.
    static func isParameter(_ line: SourceLine) -> Bool {
        guard let marker = line.itemMarker, !marker.isOrdered else { return false }
        let text = line.string
        return ParameterLine(text) != nil || ParameterLine(text.halfWidth) != nil
    }
}
