package import Model

extension Level {
    /// The length of `informational`, the longest word for a level.
    private static let longestWord = 13

    /// Returns the level that a text in SQL means: a word or a number of `init(ofProgram:)`, but no letter alone. It is called for
    /// each row, with the level's own name nearly always.
    package init?(inSQL text: UnsafeRawBufferPointer) {
        if let level = Level(ownName: text) {
            self = level
            return
        }
        guard text.count <= Self.longestWord else { return nil }
        let word = String(decoding: text, as: UTF8.self)
        guard let level = text.count == 1 ? Level(word) : Level(ofProgram: word) else { return nil }
        self = level
    }

    package init?(inSQL text: String) {
        var text = text
        guard let level = text.withUTF8({ Level(inSQL: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = level
    }

    /// Returns the level whose `name` a text is.
    private init?(ownName text: UnsafeRawBufferPointer) {
        guard let first = text.first else { return nil }
        // No two names have the length and the first letter in common.
        switch (text.count, first) {
        case (5, UInt8(ascii: "e")): self = .emerg
        case (5, UInt8(ascii: "a")): self = .alert
        case (4, UInt8(ascii: "c")): self = .crit
        case (3, UInt8(ascii: "e")): self = .err
        case (7, UInt8(ascii: "w")): self = .warning
        case (6, UInt8(ascii: "n")): self = .notice
        case (4, UInt8(ascii: "i")): self = .info
        case (5, UInt8(ascii: "d")): self = .debug
        default: return nil
        }
        guard text.elementsEqual(name.utf8) else { return nil }
    }
}
