import Model

/// A hash that distinguishes versions of a dictionary.
enum ContentHash {
    /// Returns 16 hexadecimal digits: FNV-1a (64 bits) of the files' names and contents and of the options that affect
    /// checks.
    ///
    /// - Parameter files: the files, sorted by name.
    static func of(_ files: [DefinitionFile], options: DictionaryOptions) -> String {
        var hash = Hash()
        for file in files {
            hash.add(Array(file.name.utf8))
            hash.add(file.bytes)
        }
        hash.add(Array(options.layoutText.utf8))
        hash.add(Array(options.extraParameters.text.utf8))
        for (name, type) in options.types.sorted(by: { $0.key < $1.key }) {
            hash.add(Array(name.utf8))
            for text in text(of: type) { hash.add(Array(text.utf8)) }
        }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private struct Hash {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325

        /// Adds a part with its length, so that "ab", "c" differs from "a", "bc".
        mutating func add(_ part: [UInt8]) {
            for shift in stride(from: 0, to: 64, by: 8) { step(UInt8(truncatingIfNeeded: part.count >> shift)) }
            for byte in part { step(byte) }
        }

        private mutating func step(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
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
