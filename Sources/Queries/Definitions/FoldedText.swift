import Model

/// A text prepared for case-insensitive search.
struct FoldedText: Sendable {
    /// Lower case, unless `isPlain`.
    private let text: String
    private let isPlain: Bool
    let isASCII: Bool
    /// The bytes, if comparing them is the same as comparing characters, because no equivalent text has other bytes.
    let bytes: [UInt8]?

    init(_ text: String) {
        isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        isPlain = isASCII || text.unicodeScalars.allSatisfy(\.isPlain)
        if isPlain {
            self.text = text
            bytes = text.utf8.map { $0.lowercased }
        } else {
            self.text = text.lowercased()
            bytes = self.text.unicodeScalars.allSatisfy(\.hasOneForm) ? Array(self.text.utf8) : nil
        }
    }

    /// Characters compare by canonical equivalence (composed equals decomposed), but slowly.
    var characters: [Character] { Array(isPlain ? text.lowercased() : text) }
}

/// A word to search for in many texts.
struct SearchWord: Sendable {
    private let isASCII: Bool
    private let bytes: [UInt8]?
    private let characters: [Character]

    init(_ word: String) {
        let folded = FoldedText(word)
        isASCII = folded.isASCII
        bytes = folded.bytes
        characters = folded.characters
    }

    func occurs(in text: FoldedText) -> Bool {
        guard isASCII || !text.isASCII else { return false }
        guard let bytes, let textBytes = text.bytes else { return text.characters.contains(characters) }
        return textBytes[...].firstPlace(of: bytes) != nil
    }
}

extension Unicode.Scalar {
    /// Whether nothing but ASCII letters changes case and nothing composes: most text in English, Japanese, Chinese and Korean.
    /// The gaps between the ranges are combining marks.
    fileprivate var isPlain: Bool {
        switch value {
        case 0..<0x80, 0x3000..<0x302A, 0x3030..<0x3099, 0x309B..<0xA000, 0xAC00..<0xD7A4: true
        default: false
        }
    }

    /// Whether comparing it is the same as comparing characters in a text without combining marks, which begin at U+0300.
    fileprivate var hasOneForm: Bool { isPlain || value < 0x300 }
}
