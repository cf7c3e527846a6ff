/// Finds words in texts as the daemon's search does: any part of a text, capitals or not, whole characters.
package struct WordSearch: Sendable {
    private let words: [[String]]

    /// - Parameter search: words with white space between them.
    package init(_ search: String) {
        words = search.split(whereSeparator: \.isWhitespace).map { $0.map { $0.lowercased() } }
    }

    /// The text in pieces, each a part of a match or not.
    package func pieces(_ text: String) -> [(text: String, isMatch: Bool)] {
        let characters = text.map { $0.lowercased() }
        var isMatch = Array(repeating: false, count: characters.count)
        for word in words where word.count <= characters.count {
            for start in 0...(characters.count - word.count)
            where characters[start..<(start + word.count)].elementsEqual(word) {
                for index in start..<(start + word.count) { isMatch[index] = true }
            }
        }
        var pieces: [(text: String, isMatch: Bool)] = []
        for (character, isMatch) in zip(text, isMatch) {
            if pieces.last?.isMatch == isMatch {
                pieces[pieces.count - 1].text.append(character)
            } else {
                pieces.append((String(character), isMatch))
            }
        }
        return pieces
    }

    package func matches(_ text: String) -> Bool { pieces(text).contains(where: \.isMatch) }
}
