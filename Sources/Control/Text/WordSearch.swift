import Model

/// Finds words in texts as the daemon's search does: any part of a text, capitals or not, whole characters.
package struct WordSearch: Sendable {
    private let words: [[String]]

    /// - Parameter search: words with white space between them.
    package init(_ search: String) {
        words = search.split(whereSeparator: \.isWhitespace).map { $0.map { $0.lowercased() } }
    }

    /// A part of a text, in a match or not.
    package typealias Piece = (text: String, isMatch: Bool)

    /// The text in pieces.
    /// - Parameter room: columns that it may have; of a wider text, what is around the first match of each word.
    package func pieces(_ text: String, room: Int? = nil) -> [Piece] {
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

    package func matches(_ text: String) -> Bool { pieces(text).contains(where: \.isMatch) }

    /// Which characters are part of a match, and where each word comes first.
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
