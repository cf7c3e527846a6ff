internal import CLinux

/// Searches text by bytes. The standard library searches by characters: it takes `"` and a following combining mark as
/// one character, so that the quote would be neither found nor escaped.
extension StringProtocol where SubSequence == Substring {
    package func firstRange(of text: String) -> Range<String.Index>? { self[...].range(of: text) }
    package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

    /// Returns the parts between the separators. An empty text separates nothing.
    package func split(
        separator: String, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [Substring] {
        self[...].parts(between: separator, atMost: maxSplits, omittingEmpty: omittingEmptySubsequences)
    }

    /// Returns the text with a part of it replaced wherever it occurs. An empty part is nowhere.
    package func replacing(_ text: String, with replacement: String, maxReplacements: Int = .max) -> String {
        self[...].replaced(text, by: replacement, atMost: maxReplacements)
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

/// The same for `Substring` alone, since generic functions are not specialised in other modules.
extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? {
        var (bytes, wanted) = (self, text)
        let found = bytes.withUTF8 { bytes in
            wanted.withUTF8 { UnsafeRawBufferPointer(bytes).firstPlace(of: UnsafeRawBufferPointer($0)) }
        }
        return (text.isEmpty ? 0 : found).map { place in
            let start = utf8.index(startIndex, offsetBy: place)
            return start..<utf8.index(start, offsetBy: text.utf8.count)
        }
    }

    fileprivate func parts(between separator: String, atMost most: Int, omittingEmpty: Bool) -> [Substring] {
        var (parts, rest) = ([Substring](), self)
        while parts.count < most, !separator.isEmpty, let found = rest.range(of: separator) {
            if !omittingEmpty || found.lowerBound > rest.startIndex { parts.append(rest[..<found.lowerBound]) }
            rest = rest[found.upperBound...]
        }
        return omittingEmpty && rest.isEmpty ? parts : parts + [rest]
    }

    fileprivate func replaced(_ text: String, by replacement: String, atMost most: Int) -> String {
        var (result, rest, count) = ("", self, 0)
        while count < most, !text.isEmpty, let found = rest.range(of: text) {
            result += rest[..<found.lowerBound]
            result += replacement
            rest = rest[found.upperBound...]
            count += 1
        }
        return count == 0 ? String(self) : result + rest
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the first place of some bytes, from a place on, in linear time; `nil` if there is none, or they are none.
    package func firstPlace(of wanted: [UInt8], from start: Int = 0) -> Int? {
        wanted.withUnsafeBytes { firstPlace(of: $0, from: start) }
    }

    fileprivate func firstPlace(of wanted: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = baseAddress, let wantedBase = wanted.baseAddress, !wanted.isEmpty, start < count,
            let found = memmem(base + start, count - start, wantedBase, wanted.count)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}

extension ArraySlice<UInt8> {
    /// Returns the first place of some bytes, in linear time; `nil` if there is none, or they are none.
    package func firstPlace(of wanted: [UInt8]) -> Int? {
        withUnsafeBytes { $0.firstPlace(of: wanted) }.map { startIndex + $0 }
    }
}
