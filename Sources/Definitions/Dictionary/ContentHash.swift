import Model

/// A hash that distinguishes versions of a dictionary.
enum ContentHash {
    /// Returns 16 hexadecimal digits: FNV-1a (64 bits) of the files' names and contents and of the options that affect
    /// checks.
    ///
    /// - Parameter files: the files, sorted by name.
    static func of(_ files: [DefinitionFile], options: DictionaryOptions) -> String {
        var hash = FNV1a()
        for file in files {
            hash.add(part: Array(file.name.utf8))
            hash.add(part: file.bytes)
        }
        hash.add(part: Array(options.layoutText.utf8))
        hash.add(part: Array(options.extraParameters.text.utf8))
        for (name, type) in options.types.sorted(by: { $0.key < $1.key }) {
            hash.add(part: Array(name.utf8))
            for text in text(of: type) { hash.add(part: Array(text.utf8)) }
        }
        return hash.digits
    }

    private static func text(of type: CustomType) -> [String] {
        switch type {
        case .values(let values): ["values"] + values.map(\.text)
        // The settings have no objects.
        case .same(as: let type): ["same", type.text()]
        case .object: ["object"]
        }
    }
}
