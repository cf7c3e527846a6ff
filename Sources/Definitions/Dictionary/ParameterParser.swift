import Model

/// Makes parameters of the items of a list, and says which of them daifuku would read otherwise than they look.
struct ParameterParser {
    let types: [String: CustomType]

    /// - Returns: `nil` when the item cannot be read; then there is an error in `problems`.
    func parameter(_ item: ListItem, _ problems: inout ProblemList) -> Parameter? {
        let text = item.text
        guard let line = ParameterLine(text) else {
            problems.error(
                item.line,
                "`\(Name.shown(text))` is no parameter: write `- name: !type`, such as `- recipe_id: !bigint`")
            return nil
        }
        guard checkSurroundings(line, item, &problems) else { return nil }
        if let fault = Name.fault(of: String(line.name)) {
            problems.error(item.line, fault)
            return nil
        }
        guard let type = type(line, item.line, &problems) else { return nil }
        let length = line.length.flatMap { Int($0) }
        if line.length != nil, length == nil {
            problems.error(item.line, "the length is too large: write a number of bytes, such as `!string 64`")
            return nil
        }
        return Parameter(
            name: String(line.name), type: type, isOptional: line.type.hasSuffix("?"), maximumBytes: length,
            isObsolete: line.isObsolete, description: item.descendants.map(\.text), line: item.line)
    }

    /// Looks at what daifuku passes over: it takes the first part of the text that fits.
    private func checkSurroundings(_ line: ParameterLine, _ item: ListItem, _ problems: inout ProblemList) -> Bool {
        let read = "`\(line.name): \(line.type)`"
        if line.before.lowercased().contains("[obsolete]") || line.after.lowercased().contains("[obsolete]") {
            problems.error(
                item.line, "the obsolete marker has no effect here: write `- [obsolete] \(line.name): \(line.type)`")
            return false
        }
        if !line.before.isEmpty {
            problems.error(
                item.line,
                "daifuku reads only \(read) of this line: begin it with the name, of letters a-z, digits and _")
            return false
        }
        if !Name.isWritten(line.name, in: item.lines) {
            problems.error(
                item.line,
                "two underscores are bold in Markdown, so daifuku reads the name as `\(line.name)`: write it in `` ` ``"
            )
            return false
        }
        let after = line.after.drop { $0 == " " || $0 == "\n" }
        if !after.isEmpty {
            problems.warning(
                item.line,
                "`\(Name.shown(String(after)))` is ignored, only \(read) is read: put a description into an indented "
                    + "list below; a length is `!string 64`, one space before it, `?` before that")
        }
        return true
    }

    private func type(_ line: ParameterLine, _ number: Int, _ problems: inout ProblemList) -> ParameterType? {
        let name = String(line.type.hasSuffix("?") ? line.type.dropLast() : line.type)
        guard name.hasPrefix("!") else {
            if line.length != nil {
                problems.error(
                    number, "`\(name)` is a custom type, which has no length: write `\(name)` or `!string 64`")
                return nil
            }
            if ParameterType(builtIn: name) != nil {
                problems.warning(number, "`\(name)` without ! is a custom type: write `!\(name)` for the built-in one")
            }
            return .custom(name: name, meaning: types[name])
        }
        guard let type = ParameterType(builtIn: name.dropFirst()) else {
            let names = ParameterType.builtInNames.joined(separator: ", ")
            problems.error(
                number, "there is no type `\(name)`: write ! and one of \(names), or a custom type without !")
            return nil
        }
        if line.length != nil, type != .string {
            problems.error(number, "`\(name)` has no length, only !string has: write `\(name)`")
            return nil
        }
        return type
    }
}
