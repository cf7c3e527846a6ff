import Model

/// Parses the items of a list to parameters, and reports those that daifuku would read differently from how they look.
struct ParameterParser {
    let options: DictionaryOptions
    /// The lines of parameters with `privacy: public`.
    private(set) var publicLines: Set<Int> = []

    /// - Parameter isShared: whether it is in the list of a category or of `common.md`.
    /// - Returns: `nil` when the item cannot be parsed; then there is an error in `problems`.
    mutating func parameter(_ item: ListItem, isShared: Bool, _ problems: inout ProblemList) -> Parameter? {
        let text = item.text
        if Annotations.refuse(item.lines, &problems) { return nil }
        let read = ParameterLine(text)
        if let meant = FullWidthLine.parameter(in: text, read: read) {
            let message =
                "full-width signs and spaces are text to Markdown: write `- \(Name.shown(meant.canonicalText))`"
            problems.add(.fullWidthSign, item.line, message, at: text)
            return nil
        }
        guard let line = read else {
            problems.add(
                .notAParameter, item.line,
                "`\(Name.shown(text))` is not a parameter: write `- name: !type`, such as `- recipe_id: !bigint`",
                at: text)
            return nil
        }
        guard checkSurroundings(line, item, &problems) else { return nil }
        if let fault = Name.fault(of: String(line.name), longest: options.maximumNameLength) {
            problems.add(fault.rule, item.line, fault.message, at: line.name, as: isShared ? .warning : nil)
            if !isShared { return nil }
        }
        guard let type = type(line, item.line, &problems) else { return nil }
        let length = line.length.flatMap { Int($0) }
        if line.length != nil, length == nil {
            let message = "the length is too large: write a number of bytes, such as `!string 64`"
            problems.add(.invalidLength, item.line, message, at: line.length)
            return nil
        }
        let annotations = Annotations(item, &problems)
        let parameter = Parameter(
            name: String(line.name), type: type, isOptional: line.type.hasSuffix("?"), maximumBytes: length,
            isObsolete: line.isObsolete, privacy: annotations.privacy ?? .public,
            allowedValues: annotations.values?.list, role: annotations.role?.role,
            description: annotations.description, line: item.line)
        AnnotationCheck.check(parameter, annotations, &problems)
        if annotations.privacy == .public { publicLines.insert(item.line) }
        return parameter
    }

    /// Checks the text that daifuku ignores because it takes only the first match.
    private func checkSurroundings(_ line: ParameterLine, _ item: ListItem, _ problems: inout ProblemList) -> Bool {
        var read: String { "`\(line.parsedText)`" }
        if EventHeading.hasMarker(line.before) || EventHeading.hasMarker(line.after) {
            problems.add(
                .obsoleteMarker, item.line,
                "the obsolete marker has no effect here: write `- [obsolete] \(line.parsedText)`",
                at: item.text.firstRange(of: /\[obsolete\]/.ignoresCase()).map { item.text[$0] })
            return false
        }
        if !line.before.isEmpty {
            problems.add(
                .halfReadName, item.line,
                "daifuku reads only \(read) of this line: begin it with the name, of letters a-z, digits and _",
                at: line.before)
            return false
        }
        if !Name.isWritten(line.name, in: item.lines) {
            problems.add(
                .boldName, item.line,
                "two underscores are bold in Markdown, so daifuku reads the name as `\(line.name)`: write it in `` ` ``"
            )
            return false
        }
        let after = line.after.drop { $0 == " " || $0 == "\n" }
        if Annotations.refuse(String(line.after.prefix { $0 != "\n" }), item.line, &problems) { return false }
        if !after.isEmpty {
            // Text that continues in the following lines is reported with its own line.
            let breaks = line.after.prefix { $0 == " " || $0 == "\n" }.count { $0 == "\n" }
            let place = item.lines.dropFirst(breaks).first ?? item.lines[0]
            // It is already reported there.
            if place.number != item.line, LostLines.isHeading(place) || FullWidthLine(place) != nil { return true }
            problems.add(
                .ignoredText, place.number,
                "`\(Name.shown(String(after)))` is ignored, only \(read) is read: put a description into an indented "
                    + "list below; a length is `!string 64`, one space before it, `?` before that", at: after)
        }
        return true
    }

    private func type(_ line: ParameterLine, _ number: Int, _ problems: inout ProblemList) -> ParameterType? {
        let name = String(line.type.hasSuffix("?") ? line.type.dropLast() : line.type)
        guard name.hasPrefix("!") else {
            if line.length != nil {
                problems.add(
                    .invalidLength, number,
                    "`\(name)` is a custom type, which has no length: write `\(name)` or `!string 64`", at: line.length)
                return nil
            }
            if ParameterType(builtIn: name) != nil {
                let message = "`\(name)` without ! is a custom type: write `!\(name)` for the built-in one"
                problems.add(.unmarkedType, number, message, at: name)
            }
            return .custom(name: ExactString(name), meaning: options.types[name])
        }
        guard let type = ParameterType(builtIn: name.dropFirst()) else {
            let names = ParameterType.builtInNames.joined(separator: ", ")
            problems.add(
                .unknownType, number,
                "there is no type `\(name)`: write ! and one of \(names), or a custom type without !", at: name)
            return nil
        }
        if line.length != nil, type != .string {
            let message = "`\(name)` has no length, only !string has: write `\(name)`"
            problems.add(.invalidLength, number, message, at: line.length)
            return nil
        }
        return type
    }
}
