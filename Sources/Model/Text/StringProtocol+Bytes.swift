internal import Glibc

/// Wherever `Model` is imported, text is compared, ordered and searched by its UTF-8 bytes. These replace the standard
/// library's operators, which use Unicode's canonical equivalence: there, `é` as one scalar equals `e` with a combining
/// accent, but globs, SQL and JSON keys treat the two as different.
///
/// The compiler selects them by the static type. Code that is generic over `Hashable` or `Comparable` does not use
/// them: keys of sets and dictionaries are `ExactString`, and properties of types with synthesized equality are
/// `@Exact`. Tuples with text are compared part by part.
/// - Source: Unicode Standard Annex #15; `docs/decisions/0011-text-is-bytes.md`
extension StringProtocol {
    package static func == (one: Self, other: some StringProtocol) -> Bool { one.hasBytes(of: other) }
    package static func != (one: Self, other: some StringProtocol) -> Bool { !one.hasBytes(of: other) }
    package static func < (one: Self, other: some StringProtocol) -> Bool { one.precedes(other) }
    package static func > (one: Self, other: some StringProtocol) -> Bool { other.precedes(one) }
    package static func <= (one: Self, other: some StringProtocol) -> Bool { !other.precedes(one) }
    package static func >= (one: Self, other: some StringProtocol) -> Bool { !one.precedes(other) }

    package func hasPrefix(_ prefix: some StringProtocol) -> Bool { utf8.starts(with: prefix.utf8) }
    package func hasSuffix(_ suffix: some StringProtocol) -> Bool {
        utf8.reversed().starts(with: suffix.utf8.reversed())
    }

    fileprivate func hasBytes(of other: some StringProtocol) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    fileprivate func precedes(_ other: some StringProtocol) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

/// The same operators again: for two values of type `String` the compiler prefers those that `String` declares.
extension String {
    package static func == (one: String, other: String) -> Bool { one.hasSameBytes(as: other) }
    package static func != (one: String, other: String) -> Bool { !one.hasSameBytes(as: other) }
    package static func < (one: String, other: String) -> Bool { one.isBytesBefore(other) }
    package static func > (one: String, other: String) -> Bool { other.isBytesBefore(one) }
    package static func <= (one: String, other: String) -> Bool { !other.isBytesBefore(one) }
    package static func >= (one: String, other: String) -> Bool { !one.isBytesBefore(other) }
    /// The operator that `switch` uses.
    package static func ~= (pattern: String, value: String) -> Bool { pattern.hasSameBytes(as: value) }

    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
    package func hasSuffix(_ suffix: String) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }

    private func hasSameBytes(as other: String) -> Bool {
        utf8.count == other.utf8.count && order(of: other, count: utf8.count) == 0
    }

    private func isBytesBefore(_ other: String) -> Bool {
        let (count, otherCount) = (utf8.count, other.utf8.count)
        let order = order(of: other, count: min(count, otherCount))
        return order == 0 ? count < otherCount : order < 0
    }

    /// Compares the first bytes with one call, which is ten times as fast as one by one.
    private func order(of other: String, count: Int) -> Int32 {
        var (one, other) = (self, other)
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return 0 }
                return memcmp(start, otherStart, count)
            }
        }
    }
}

extension Substring {
    package func hasPrefix(_ prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
    package func hasSuffix(_ suffix: String) -> Bool { utf8.reversed().starts(with: suffix.utf8.reversed()) }
}

extension Optional where Wrapped == String {
    package static func == (one: String?, other: String?) -> Bool { one.isExactly(other) }
    package static func != (one: String?, other: String?) -> Bool { !one.isExactly(other) }
}

extension Array where Element == String {
    package static func == (one: [String], other: [String]) -> Bool { one.isExactly(other) }
    package static func != (one: [String], other: [String]) -> Bool { !one.isExactly(other) }
    /// Several times as fast as that of `Sequence`, which is not specialised in other modules.
    package func contains(_ text: String) -> Bool { contains { $0 == text } }
}

extension Sequence where Element == String {
    package func contains(_ text: String) -> Bool { contains { $0 == text } }
    package func sorted() -> [String] { sorted(by: <) }
    package func min() -> String? { self.min(by: <) }
    package func max() -> String? { self.max(by: <) }
}

extension Collection where Element == String {
    package func firstIndex(of text: String) -> Index? { firstIndex { $0 == text } }
}

extension String {
    /// Returns the characters at the beginning that have at most so many bytes. Characters are scalars here: which of them
    /// are written as one depends on the version of Unicode.
    package func cut(toBytes maximum: Int) -> String {
        guard utf8.count > maximum else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: maximum)
        while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }

    /// The text without the mark that some editors write at the beginning of a file.
    package var withoutByteOrderMark: String {
        unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
    }

    /// Returns the text. If it is too long, it is cut at the end of a character and ends with `…`.
    package func text(atMost limit: Int) -> String { utf8.count > limit ? cut(toBytes: limit) + "…" : self }
}
