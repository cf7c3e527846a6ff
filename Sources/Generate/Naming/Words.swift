import Model

/// The words of a name, from which the name is written in the style of another language.
struct Words {
    private let words: [String]

    /// - Parameter text: any text. Only letters and digits are kept. A text without any is spelled by its code points,
    ///   so that every text has a name, and the same one in every run.
    init(_ text: String) {
        var words = Self.isNegativeInteger(text) ? ["minus"] : []
        for run in text.unicodeScalars.split(whereSeparator: { !Self.isNameable($0) }) {
            words += Self.words(of: Array(run))
        }
        if words.isEmpty {
            words = text.isEmpty ? ["empty"] : text.unicodeScalars.prefix(8).map { "u" + String($0.value, radix: 16) }
        }
        self.words = words
    }

    /// `recipeID`
    func camel(_ acronyms: Set<String>) -> String {
        (words.first?.lowercased() ?? "") + words.dropFirst().map { Self.capitalized($0, acronyms) }.joined()
    }

    /// `RecipeID`
    func pascal(_ acronyms: Set<String>) -> String {
        words.map { Self.capitalized($0, acronyms) }.joined()
    }

    /// `recipe_id`
    var snake: String { words.map { $0.lowercased() }.joined(separator: "_") }

    /// `RECIPE_ID`
    var constant: String { words.map { $0.uppercased() }.joined(separator: "_") }

    /// Returns the text with `u2d` and so on for everything that cannot be in a name, and for underscores at its ends:
    /// different texts are nearly always different.
    static func spelled(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        let inner = scalars.indices.dropLast(scalars.reversed().prefix { $0 == "_" }.count)
            .drop { scalars[$0] == "_" }
        var pieces: [String] = []
        var isInWord = false
        for (index, scalar) in scalars.enumerated() {
            let isKept = isNameable(scalar) || (scalar == "_" && inner.contains(index))
            if !isKept {
                pieces.append("u\(String(scalar.value, radix: 16))")
            } else if isInWord {
                pieces[pieces.count - 1].unicodeScalars.append(scalar)
            } else {
                pieces.append(String(scalar))
            }
            isInWord = isKept
        }
        return pieces.joined(separator: "_")
    }

    private static func capitalized(_ word: String, _ acronyms: Set<String>) -> String {
        let lower = word.lowercased()
        return acronyms.contains(lower) ? lower.uppercased() : lower.prefix(1).uppercased() + lower.dropFirst()
    }

    private static func isNegativeInteger(_ text: String) -> Bool {
        let digits = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "-") && !digits.isEmpty
            && digits.allSatisfy(\.isDigit)
    }

    /// Splits a run of letters and digits: `tapHTTPButton2x` has the words tap, HTTP, Button2x.
    private static func words(of run: [Unicode.Scalar]) -> [String] {
        var words: [String] = []
        var word = ""
        for (index, scalar) in run.enumerated() {
            let isUpper = scalar.properties.isUppercase
            let followsLower = index > 0 && !run[index - 1].properties.isUppercase
            let endsAcronym = index > 0 && index + 1 < run.count && run[index + 1].properties.isLowercase
            if isUpper, followsLower || endsAcronym, !word.isEmpty {
                words.append(word)
                word = ""
            }
            word.unicodeScalars.append(scalar)
        }
        return words + [word]
    }

    /// Whether a character can be in a name. Beyond ASCII, only characters qualify that all the languages accept in a
    /// name and leave unchanged.
    ///
    /// - Source: Python normalizes names to NFKC, which could make two names equal.
    private static func isNameable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case _ where scalar.isASCII: false
        default:
            switch scalar.properties.generalCategory {
            case .otherLetter, .modifierLetter, .lowercaseLetter:
                scalar.properties.isXIDStart && !scalar.properties.changesWhenNFKCCaseFolded
            default: false
            }
        }
    }
}
