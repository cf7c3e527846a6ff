import Model

/// Parses the items of a list to parameters, and reports those that daifuku would read differently from how they look.
struct ParameterParser {
    let options: DictionaryOptions
    /// The meanings of custom types.
    var types: [ExactString: CustomType]
    /// Whether the items are members of a type, in the folder `types`, which daifuku does not read.
    var isOfType = false

    /// - Parameter isShared: whether it is in the list of a category or of `common.md`.
    /// - Returns: `nil` when the item cannot be parsed; then there is an error in `problems`.
    func parameter(_ item: ListItem, isShared: Bool, _ problems: inout ProblemList) -> Parameter? {
        let text = item.text
        if Annotations.refuse(item.lines, &problems) { return nil }
        let read = ParameterLine(text, allowsArrays: isOfType)
        if let meant = FullWidthLine.parameter(in: text, read: read) {
            let message =
                "full-width signs and spaces are text to Markdown: write `- \(Name.shown(meant.canonicalText))`"
            problems.add(.fullWidthSign, item.line, message, at: text)
            return nil
        }
        guard let line = read else {
            let array = isOfType ? nil : ParameterLine(text, allowsArrays: true)
            let advice =
                array.map { "an array is a custom type, with `- \($0.type.text)` as its list in the folder `types`" }
                ?? "write `- name: !type`, such as `- recipe_id: !bigint`"
            let message = "`\(Name.shown(text))` is not a parameter: \(advice)"
            problems.add(.notAParameter, item.line, message, at: text)
            return nil
        }
        guard checkSurroundings(line, item, &problems) else { return nil }
        if let fault = Name.fault(of: String(line.name), longest: options.maximumNameLength) {
            problems.add(fault.rule, item.line, fault.message, at: line.name, as: isShared ? .warning : nil)
            if !isShared { return nil }
        }
        guard let type = type(line.type, item.line, &problems) else { return nil }
        let annotations = Annotations(item, &problems)
        let parameter = Parameter(
            name: String(line.name), type: type, isOptional: line.type.isOptional, isObsolete: line.isObsolete,
            privacy: annotations.privacy?.privacy ?? .public, allowedValues: annotations.values?.list,
            role: annotations.role?.role, description: annotations.description, line: item.line,
            saysPublic: annotations.privacy?.privacy == .public)
        AnnotationCheck.check(parameter, annotations, &problems)
        return parameter
    }

    /// Returns the line with _ in its name, if the name has - or . in its place: `order_id: !bigint` for `order-id: !bigint`.
    private static func meant(_ line: ParameterLine, _ text: String) -> String? {
        let name = text[..<line.name.endIndex]
        let signs = [UInt8(ascii: "-"), UInt8(ascii: ".")]
        guard name.utf8.allSatisfy({ $0.isWordByte || signs.contains($0) }) else { return nil }
        return Name.shown("\(name.replacing("-", with: "_").replacing(".", with: "_")): \(line.type.text)")
    }

    private var reader: String { isOfType ? "Gloss" : "daifuku" }

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
            let advice =
                Self.meant(line, item.text).map { "write `\($0)`, and send the parameter by this name" }
                ?? "begin it with the name, of letters a-z, digits and _"
            problems.add(
                .halfReadName, item.line, "\(reader) reads only \(read) of this line: \(advice)", at: line.before)
            return false
        }
        if !Name.isWritten(line.name, after: line.isObsolete ? EventHeading.marker : "", in: item.lines) {
            problems.add(
                .boldName, item.line,
                "two underscores are bold in Markdown, so \(reader) reads the name as `\(line.name)`: write it in `` ` ``"
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

    /// - Returns: `nil` when there is no such type; then there is an error in `problems`.
    func type(_ text: TypeText, _ number: Int, _ problems: inout ProblemList) -> ParameterType? {
        let name = String(text.base)
        func noLimit(_ message: String) -> ParameterType? {
            problems.add(.invalidLength, number, message, at: text.limit)
            return nil
        }
        if name.hasPrefix("[") { return array(text, number, &problems) }
        guard name.hasPrefix("!") else {
            if text.limit != nil {
                return noLimit("`\(name)` is a custom type, which has no length: write `\(name)` or `!string 64`")
            }
            if ParameterType(builtIn: name) != nil {
                let message = "`\(name)` without ! is a custom type: write `!\(name)` for the built-in one"
                problems.add(.unmarkedType, number, message, at: name)
            }
            return .custom(name: ExactString(name), meaning: types[name])
        }
        guard let type = ParameterType(builtIn: name.dropFirst()), isOfType || type != .any else {
            let names = ParameterType.builtInNames.joined(separator: ", ")
            let message =
                name == "!any"
                ? "daifuku has no type `!any`: write a custom type here, and `- !any` as its list in the folder `types`"
                : "there is no type `\(name)`: write ! and one of \(names), or a custom type without !"
            problems.add(.unknownType, number, message, at: name)
            return nil
        }
        guard let digits = text.limit else { return type }
        guard case .string = type else {
            return noLimit("`\(name)` has no length, only !string has: write `\(name)`")
        }
        guard let length = Int(digits) else {
            return noLimit("the length is too large: write a number of bytes, such as `!string 64`")
        }
        return .string(maximumBytes: length)
    }

    private func array(_ text: TypeText, _ number: Int, _ problems: inout ProblemList) -> ParameterType? {
        guard let element = text.element else {
            let message =
                "`\(Name.shown(String(text.base)))` is no array: write the type of its elements, such as `[Item]`"
            problems.add(.unknownType, number, "\(message) or `[!string 64]`", at: text.base)
            return nil
        }
        let count = text.limit.flatMap { Int($0) }
        if text.limit != nil, count == nil {
            let message = "the number is too large: write the most elements that it may have, such as `[Item] 50`"
            problems.add(.invalidLength, number, message, at: text.limit)
            return nil
        }
        return type(element, number, &problems).map {
            .array(of: $0, allowsNull: element.isOptional, maximumCount: count)
        }
    }
}
