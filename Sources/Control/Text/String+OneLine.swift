extension String {
    /// The words of the text, with one space between them.
    var onOneLine: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
