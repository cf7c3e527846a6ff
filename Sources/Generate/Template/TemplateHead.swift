import Model

/// The comments at the beginning of a template that say how it is used: `{{! key: value }}`, one after the other.
///
/// There may be other comments among them; the first line that is not a comment ends the head.
struct TemplateHead {
    /// The path of its output, within the output folder; `nil` for a template that others include.
    private(set) var output: OutputPattern?

    /// Parses the head of `text`, and adds its entries to `language`.
    /// - Parameter name: the template's name, for errors.
    init(of text: String, name: String, language: inout Language) throws(GenerateError) {
        var rest = text[...]
        while true {
            rest = rest.drop(while: \.isWhitespace)
            guard rest.hasPrefix("{{!"), let end = rest.firstRange(of: "}}") else { return }
            let comment = rest[..<end.lowerBound].dropFirst(3)
            rest = rest[end.upperBound...]
            let parts = comment.split(separator: ":", maxSplits: 1).map { $0.trimmingSpace }
            guard parts.count == 2 else { continue }
            try take(parts[0], parts[1], name, &language)
        }
    }

    private mutating func take(
        _ key: String, _ value: String, _ name: String, _ language: inout Language
    ) throws(GenerateError) {
        let words = value.split(whereSeparator: \.isWhitespace).map(String.init)
        switch key {
        case "output":
            output = try OutputPattern(value, template: name)
        case "dialect":
            guard let dialect = Dialect(rawValue: value) else {
                let all = Dialect.allCases.map(\.rawValue).joined(separator: ", ")
                throw GenerateError(.templates, "\(name): there is no dialect `\(value)`: write one of \(all)")
            }
            language.dialect = dialect
        case "types":
            for word in words { try type(word, name, &language) }
        case "acronyms": language.rules.acronyms.formUnion(words)
        case "reserved": language.rules.reserved.formUnion(words)
        case "quoted": language.rules.quoted.formUnion(words)
        case _ where key.hasPrefix("reserved "):
            guard let kind = NameScope.Kind(rawValue: String(key.dropFirst("reserved ".count))) else {
                let all = NameScope.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw GenerateError(.templates, "\(name): `\(key)`: names are reserved in one of \(all)")
            }
            language.rules.reservedIn[kind, default: []].formUnion(words)
        default: break
        }
    }

    private func type(_ word: String, _ name: String, _ language: inout Language) throws(GenerateError) {
        let parts = word.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let base = BaseType(rawValue: String(parts[0])) else {
            let all = BaseType.allCases.map(\.rawValue).joined(separator: ", ")
            throw GenerateError(
                .templates,
                "\(name): `\(word)` is not a type: write, for example, `bigint=Long`. The types are \(all)")
        }
        language.types[base] = String(parts[1])
    }
}

extension Substring {
    fileprivate var trimmingSpace: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
