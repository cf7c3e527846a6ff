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
    private let bytes: SubstringSearch<UInt8>?
    private let characters: SubstringSearch<Character>

    init(_ word: String) {
        let folded = FoldedText(word)
        isASCII = folded.isASCII
        bytes = folded.bytes.map(SubstringSearch.init)
        characters = SubstringSearch(folded.characters)
    }

    func occurs(in text: FoldedText) -> Bool {
        guard isASCII || !text.isASCII else { return false }
        guard let bytes, let textBytes = text.bytes else { return characters.occurs(in: text.characters) }
        return bytes.occurs(in: textBytes)
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

/// Finds a run of elements in others, in time linear in both.
/// - Source: D. Knuth, J. Morris, V. Pratt, "Fast pattern matching in strings", 1977
struct SubstringSearch<Element: Equatable & Sendable>: Sendable {
    private let wanted: [Element]
    /// For each number of elements that matched: how many still match when the next one does not.
    private let fallback: [Int]

    init(_ wanted: [Element]) {
        self.wanted = wanted
        var fallback = [Int](repeating: 0, count: wanted.count + 1)
        var found = 0
        for index in wanted.indices.dropFirst() {
            while found > 0, wanted[index] != wanted[found] { found = fallback[found] }
            if wanted[index] == wanted[found] { found += 1 }
            fallback[index + 1] = found
        }
        self.fallback = fallback
    }

    func occurs(in elements: [Element]) -> Bool {
        var found = 0
        for element in elements {
            if found == wanted.count { return true }
            while found > 0, element != wanted[found] { found = fallback[found] }
            if element == wanted[found] { found += 1 }
        }
        return found == wanted.count
    }
}
