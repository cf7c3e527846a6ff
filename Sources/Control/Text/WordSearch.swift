/// Finds words in texts like the search of the daemon: anywhere in a text, ignoring case, in whole characters.
struct WordSearch: Sendable {
    private let words: [[String]]

    /// - Parameter search: words separated by white space.
    init(_ search: String) {
        words = search.split(whereSeparator: \.isWhitespace).map { $0.map { $0.lowercased() } }
    }

    /// A part of a text, and whether it is a match.
    typealias Piece = (text: String, isMatch: Bool)

    /// Returns the text in pieces.
    /// - Parameter room: the available columns. A wider text is reduced to the surroundings of the first match of each
    ///   word.
    func pieces(_ text: String, room: Int? = nil) -> [Piece] {
        let (isMatch, first) = matches(text.map { $0.lowercased() })
        let excerpt = Excerpt(Array(text), room: room ?? .max, around: first)
        var pieces: [Piece] = []
        func append(_ text: String, _ isMatch: Bool) {
            if pieces.last?.isMatch == isMatch {
                pieces[pieces.count - 1].text += text
            } else {
                pieces.append((text, isMatch))
            }
        }
        for index in excerpt.shown {
            guard let index else {
                append("…", false)
                continue
            }
            append(String(excerpt.characters[index]), isMatch[index])
        }
        return pieces
    }

    func matches(_ text: String) -> Bool { !matches(text.map { $0.lowercased() }).first.isEmpty }

    /// Returns the characters that are part of a match, and the first match of each word.
    private func matches(_ characters: [String]) -> ([Bool], first: [Range<Int>]) {
        var isMatch = Array(repeating: false, count: characters.count)
        var first: [Range<Int>] = []
        for word in words where word.count <= characters.count {
            var isFirst = true
            for start in 0...(characters.count - word.count)
            where characters[start..<(start + word.count)].elementsEqual(word) {
                let match = start..<(start + word.count)
                for index in match { isMatch[index] = true }
                if isFirst { first.append(match) }
                isFirst = false
            }
        }
        return (isMatch, first)
    }
}
