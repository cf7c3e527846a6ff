package import Model

extension TableFile {
    /// The part `options`: lines of `types NAME=BUILT-IN|values:a,b …`, `key [CATEGORY] NAME`, `parameters_at PATH`, `name_length NUMBER`,
    /// `reserved NAME …` and `extra all|NAME …`.
    package var options: DictionaryOptions {
        var options = DictionaryOptions(name: "shop", path: "definitions")
        for line in parts.first(where: { $0.name == "options" })?.text.split(separator: "\n") ?? [] {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "key" {
                let parts = words.dropFirst().map(part)
                options.layout.category = parts.count == 1 ? .definingFile : parts[0]
                options.layout.name = parts[parts.count - 1]
            }
            if words[0] == "parameters_at" { options.layout.parametersAt = MemberPath(words[1]) }
            if words[0] == "name_length" { options.maximumNameLength = Int(words[1]) ?? 0 }
            if words[0] == "reserved" { options.reservedNames = Array(words.dropFirst()) }
            if words[0] == "extra" {
                options.extraParameters =
                    words[1] == "all" ? .all : .named(words.dropFirst().map { ExactString($0) })
            }
            if words[0] == "types" { words.dropFirst().forEach { add($0, to: &options.types) } }
        }
        return options
    }

    private func part(_ word: String) -> KeyPart {
        word.rest(after: KeyPart.journalPrefix).map { .journalField(ExactString(String($0))) }
            ?? .member(MemberPath(word))
    }

    private func add(_ word: String, to types: inout [ExactString: CustomType]) {
        let sides = word.split(separator: "=").map(String.init)
        if sides[1].hasPrefix("values:") {
            types[sides[0]] = .values(sides[1].dropFirst(7).split(separator: ",").map { ExactString(String($0)) })
        } else if let type = ParameterType(builtIn: sides[1]) {
            types[sides[0]] = .same(as: type)
        }
    }

    /// The parts whose names end as file names do.
    package var definitionFiles: [DefinitionFile] {
        parts.filter { $0.name.contains(".") }.map { DefinitionFile(name: $0.name, bytes: Array($0.text.utf8)) }
    }
}
