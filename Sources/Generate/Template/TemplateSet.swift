import Mustache

/// Templates that belong together: those that produce files, and those that they include.
package struct TemplateSet: Sendable {
    struct Output {
        var pattern: OutputPattern
        var template: String
        /// The name of the template in errors.
        var place: String
    }

    /// The name of the generator in generated files.
    package let name: String
    let language: Language
    /// The templates that produce files, in the order of their names.
    let outputs: [Output]
    /// Whether the code writes payloads.
    let writePayloads: Bool
    private let library: MustacheLibrary

    /// - Parameters:
    ///   - name: the name of the set, such as `swift`.
    ///   - templates: the Mustache texts by name; `{{> name}}` includes one.
    ///   - paths: the paths of their files by name, for errors.
    /// - Throws: `GenerateError` when a template is not valid Mustache or has an invalid head, or when none produces a
    ///   file.
    package init(
        name: String, templates: [String: String], paths: [String: String] = [:]
    ) throws(GenerateError) {
        self.name = name
        var language = Language()
        var outputs: [Output] = []
        var library = MustacheLibrary()
        for (name, text) in templates.sorted(by: { $0.key < $1.key }) {
            let place = paths[name] ?? name
            library.register(try Self.parse(text, place), named: name)
            let head = try TemplateHead(of: text, name: place, language: &language)
            if let pattern = head.output { outputs.append(Output(pattern: pattern, template: name, place: place)) }
        }
        guard !outputs.isEmpty else {
            throw GenerateError(
                .templates,
                "\(name): no template says what it makes: begin it with a line such as {{! output: {category}.kt }}")
        }
        try Self.checkInclusions(in: templates, paths)
        self.language = language
        self.outputs = outputs
        writePayloads = templates.values.contains(where: Self.writesPayloads)
        self.library = library
    }

    /// - Throws: `GenerateError` when templates include each other without end.
    func render(_ output: Output, _ node: some TemplateNode) throws(GenerateError) -> String {
        guard let text = RenderStack.watch({ library.render(node, withTemplate: output.template) ?? "" }) else {
            throw GenerateError(
                .templates,
                "\(output.place): templates include each other without end: {{> name}} goes into a section of what is"
                    + " within, such as {{#element}}")
        }
        return text
    }

    /// Checks that each template that another includes is there, and that no one includes itself whatever there is.
    private static func checkInclusions(
        in templates: [String: String], _ paths: [String: String]
    ) throws(GenerateError) {
        var always: [String: [TemplateTag]] = [:]
        for (name, text) in templates.sorted(by: { $0.key < $1.key }) {
            for tag in TemplateTag.all(in: text) ?? [] {
                guard let included = tag.included else { continue }
                guard templates[included] != nil else {
                    throw GenerateError(
                        .templates, "\(paths[name] ?? name):\(tag.line): there is no template `\(included)`")
                }
                if tag.depth == 0 { always[name, default: []].append(tag) }
            }
        }
        for start in always.keys.sorted() {
            var (seen, rest) = (Set<String>(), [start])
            while let name = rest.popLast() {
                for tag in always[name] ?? [] {
                    guard let included = tag.included, included != start else {
                        throw GenerateError(
                            .templates,
                            "\(paths[name] ?? name):\(tag.line): `\(start)` includes itself without end: \(tag.text) goes"
                                + " into a section of what is within, such as {{#element}}")
                    }
                    if seen.insert(included).inserted { rest.append(included) }
                }
            }
        }
    }

    private static func writesPayloads(_ text: String) -> Bool {
        // With other delimiters, tags are not known.
        TemplateTag.all(in: text)?.contains { $0.sectionKey == "opening" } ?? text.contains("opening")
    }

    /// Parses a template. The output is not HTML, so only the tree's own escaping applies.
    private static func parse(_ text: String, _ place: String) throws(GenerateError) -> MustacheTemplate {
        do {
            return try MustacheTemplate(string: "{{%CONTENT_TYPE:TEXT}}\n" + text)
        } catch let error as MustacheTemplate.ParserError {
            // The parser reached the end of the text, but reports neither which section is open nor where.
            if case .expectedSectionEnd? = error.error as? MustacheTemplate.Error,
                let open = TemplateTag.openSection(in: text)
            {
                let end = "{{/\(open.text.dropFirst(3))"
                throw GenerateError(
                    .templates, "\(place):\(open.line): the section `\(open.text)` is not closed: write \(end)")
            }
            let line = error.context.lineNumber - 1
            throw GenerateError(.templates, "\(place):\(line): \(words(error.error)): `\(error.context.line)`")
        } catch {
            throw GenerateError(.templates, "\(place): \(error)")
        }
    }

    private static func words(_ error: any Error) -> String {
        switch error as? MustacheTemplate.Error {
        case .sectionCloseNameIncorrect: "the section is closed by another name than it was opened by"
        case .expectedSectionEnd: "a section is not closed"
        // `nil` means that the parser reached the end of the text.
        case .unfinishedName, nil: "this tag is not closed"
        default: "this is no Mustache"
        }
    }
}
