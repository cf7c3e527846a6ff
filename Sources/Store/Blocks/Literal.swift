internal import CLinux
internal import Glibc

/// Bytes to search for, perhaps without regard to the case of ASCII letters.
struct Literal {
    /// In lower case, if that makes no difference.
    let bytes: [UInt8]
    let ignoresCase: Bool
    /// The position of the byte that is the rarest in usual texts, if the case makes no difference.
    private let anchor: Int

    /// The most bytes of a text that are searched for in blocks; of a longer one, these are its beginning. Each may be
    /// compared at each place of what is searched, and at each the literal may cross the border of a value.
    static let longest = 64

    /// The letters of English texts, the most frequent one first.
    private static let frequentLetters = Array("etaoinsrhldcumfpgwybvkxjqz".utf8)

    init(_ bytes: [UInt8], ignoresCase: Bool = false) {
        let bytes = ignoresCase ? bytes.map(Self.lowercased) : bytes
        func rarity(_ byte: UInt8) -> Int {
            Self.frequentLetters.firstIndex(of: byte) ?? Self.frequentLetters.count / 2
        }
        anchor = ignoresCase ? bytes.indices.max { rarity(bytes[$0]) < rarity(bytes[$1]) } ?? 0 : 0
        (self.bytes, self.ignoresCase) = (bytes, ignoresCase)
    }

    var count: Int { bytes.count }
    var isEmpty: Bool { bytes.isEmpty }

    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    /// Whether a text is a part of the literal.
    func has(_ text: some Sequence<UInt8>, at range: Range<Int>) -> Bool {
        ignoresCase
            ? text.lazy.map(Self.lowercased).elementsEqual(bytes[range]) : text.elementsEqual(bytes[range])
    }

    /// - Parameter start: the position to search from.
    func firstPlace(in text: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = text.baseAddress, start + count <= text.count else {
            return isEmpty && start <= text.count ? start : nil
        }
        if !ignoresCase {
            let found = bytes.withUnsafeBytes { memmem(base + start, text.count - start, $0.baseAddress, $0.count) }
            return found.map { UnsafeRawPointer($0) - base }
        }
        return isEmpty ? start : firstPlaceIgnoringCase(in: text, base, from: start)
    }

    /// Looks at the places of the anchor, in lower and in upper case: both within the same part of the text, since one
    /// of them may be in no other.
    private func firstPlaceIgnoringCase(
        in text: UnsafeRawBufferPointer, _ base: UnsafeRawPointer, from start: Int
    ) -> Int? {
        let end = text.count - (count - 1 - anchor)
        let lower = bytes[anchor]
        let upper = lower &- UInt8(ascii: "a") < 26 ? lower & ~0x20 : lower
        var (at, size) = (start + anchor, 1024)
        while at < end {
            let partEnd = min(end, at + size)
            func next(_ byte: UInt8, from place: Int) -> Int {
                guard place < partEnd, let found = memchr(base + place, Int32(byte), partEnd - place) else {
                    return partEnd
                }
                return UnsafeRawPointer(found) - base
            }
            var (low, high) = (next(lower, from: at), upper == lower ? partEnd : next(upper, from: at))
            while min(low, high) < partEnd {
                let place = min(low, high)
                if has(text[place - anchor..<place - anchor + count], at: 0..<count) { return place - anchor }
                if place == low { low = next(lower, from: place + 1) } else { high = next(upper, from: place + 1) }
            }
            (at, size) = (partEnd, size * 2)
        }
        return nil
    }
}

extension UnsafeRawBufferPointer {
    /// Returns whether these bytes contain the literal.
    func has(_ literal: Literal) -> Bool { literal.firstPlace(in: self) != nil }
}
