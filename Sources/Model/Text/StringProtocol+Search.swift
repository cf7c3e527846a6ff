/// Searches text by bytes. The standard library searches by characters: it takes `"` and a following combining mark as
/// one character, so that the quote would be neither found nor escaped.
extension StringProtocol where SubSequence == Substring {
    package func firstRange(of text: String) -> Range<String.Index>? {
        let (bytes, wanted) = (self[...].utf8, text.utf8)
        guard let first = wanted.first else { return startIndex..<startIndex }
        var rest = bytes[...]
        while let found = rest.firstIndex(of: first) {
            rest = rest[found...]
            if rest.starts(with: wanted) { return found..<bytes.index(found, offsetBy: wanted.count) }
            rest = rest.dropFirst()
        }
        return nil
    }

    package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

    package func split(
        separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while parts.count < maxSplits, let found = rest.firstRange(of: separator) {
            if !omittingEmptySubsequences || found.lowerBound > rest.startIndex {
                parts.append(rest[..<found.lowerBound])
            }
            rest = rest[found.upperBound...]
        }
        return omittingEmptySubsequences && rest.isEmpty ? parts : parts + [rest]
    }

    package func replacing(_ text: String, with replacement: String, maxReplacements: Int = .max) -> String {
        split(separator: text, maxSplits: maxReplacements, omittingEmptySubsequences: false)
            .joined(separator: replacement)
    }

    package func firstIndex(of scalar: Unicode.Scalar) -> String.Index? {
        self[...].unicodeScalars.firstIndex(of: scalar)
    }
    package func lastIndex(of scalar: Unicode.Scalar) -> String.Index? {
        self[...].unicodeScalars.lastIndex(of: scalar)
    }

    /// Returns the parts before and after the first occurrence of `text`; `nil` when there is none.
    package func parts(at text: String) -> (before: Substring, after: Substring)? {
        firstRange(of: text).map { (self[..<$0.lowerBound], self[$0.upperBound...]) }
    }

    /// Returns the text after a prefix; `nil` when it does not begin with the prefix.
    package func rest(after prefix: String) -> Substring? {
        utf8.starts(with: prefix.utf8) ? Substring(self[...].utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// The text without white space at both ends.
    package var trimmed: String {
        let front = unicodeScalars.drop { $0.properties.isWhitespace }
        let back = front.reversed().prefix { $0.properties.isWhitespace }.count
        return String(String.UnicodeScalarView(front.dropLast(back)))
    }

    /// Whether it is the path of a part of the value at another one: `items[3].price` is within `items`.
    package func isPath(within path: String) -> Bool {
        guard let next = rest(after: path)?.utf8.first else { return false }
        return next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
