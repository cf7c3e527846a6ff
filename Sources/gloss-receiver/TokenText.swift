import FoundationEssentials

enum TokenText {
    /// The token in a file, without the line break at its end.
    static func read(_ path: String) throws -> String {
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        return String(text.prefix { !$0.isWhitespace })
    }
}
