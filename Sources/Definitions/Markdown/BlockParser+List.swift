extension BlockParser {
    /// Returns the list marker of the line at `index`, unless the next line makes it a heading.
    func itemMarker(at index: Int) -> SourceLine.ItemMarker? {
        guard let marker = lines[index].itemMarker else { return nil }
        let isUnderlined = index + 1 < lines.count && lines[index + 1].underlineLevel != nil
        return isUnderlined ? nil : marker
    }

    /// Parses the items of one list. Its first item determines whether it is ordered; `-`, `*` and `+` may be mixed.
    mutating func list(isOrdered: Bool) -> MarkdownBlock {
        var items: [ListItem] = []
        var goesOn = true
        while goesOn, at < lines.count, let marker = itemMarker(at: at) {
            items.append(item(marker, isOrdered: isOrdered, goesOn: &goesOn))
        }
        return MarkdownBlock(content: .list(items: items, isOrdered: isOrdered), lines: [], links: links)
    }

    /// Parses one item with everything that belongs to it: the lines directly after it, whatever they are, and after an
    /// empty line those that are indented by four. An item at *another* indentation, deeper or not, begins a nested
    /// list.
    private mutating func item(
        _ marker: SourceLine.ItemMarker, isOrdered: Bool, goesOn: inout Bool
    ) -> ListItem {
        let first = lines[at]
        let indentation = min(first.indentation, 3)
        var own = [first.dropping(marker.length)]
        var nested: [SourceLine] = []
        var isNested = false
        var afterBlank = false
        at += 1
        lines: while let line = current {
            if line.isBlank {
                afterBlank = true
                at += 1
                continue
            }
            let stripped = line.dropping(min(line.indentation, 4))
            let isIndented = line.indentation >= 4
            if let marker = stripped.itemMarker, marker.isOrdered || !stripped.isRule {
                if afterBlank, marker.isOrdered != isOrdered {
                    goesOn = false
                    break lines
                }
                if min(line.indentation, 4) == indentation { break lines }
                isNested = true
            } else if afterBlank {
                guard isIndented else {
                    goesOn = false
                    break lines
                }
                let blank = SourceLine(number: line.number, text: [])
                if isNested { nested.append(blank) } else { own.append(blank) }
            }
            afterBlank = false
            if isNested { nested.append(stripped) } else { own.append(stripped) }
            at += 1
        }
        let isTooDeep = depth >= Self.maximumDepth
        return ListItem(
            lines: isTooDeep ? own + nested : own, links: links,
            children: isTooDeep ? [] : BlockParser.blocks(of: nested, depth: depth + 1, links: links),
            line: first.number, column: first.column + first.indentation)
    }
}
