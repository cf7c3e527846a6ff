import Model

/// Tells one content of a dictionary from another.
enum DictionaryVersion {
    /// 16 hexadecimal digits: FNV-1a (64 bits) of the files' names and contents and of the options that bear on checks.
    ///
    /// - Parameter files: sorted by name.
    static func of(_ files: [DefinitionFile], options: DictionaryOptions) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        // The length before each part keeps "ab", "c" from being the same as "a", "bc".
        func add(_ part: [UInt8]) {
            for shift in stride(from: 0, to: 64, by: 8) { step(UInt8(truncatingIfNeeded: part.count >> shift)) }
            part.forEach(step)
        }
        func step(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        for file in files {
            add(Array(file.name.utf8))
            add(file.bytes)
        }
        add(Array(options.categoryKey.utf8))
        add(Array(options.nameKey.utf8))
        for (name, type) in options.types.sorted(by: { $0.key < $1.key }) {
            add(Array(name.utf8))
            text(of: type).forEach { add(Array($0.utf8)) }
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func text(of type: CustomType) -> [String] {
        switch type {
        case .values(let values): ["values"] + values
        case .same(as: .custom(let name, let meaning)): ["custom", name] + (meaning.map(text) ?? [])
        case .same(as: let builtIn): ["same", builtIn.name]
        }
    }
}
