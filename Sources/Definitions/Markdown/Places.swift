/// The places of some bytes in a text, in order; none when they are empty. They are found in linear time, whatever both are.
///
/// - Source: Knuth, Morris and Pratt, Fast pattern matching in strings, 1977.
struct Places: Sequence, IteratorProtocol {
    private let wanted: [UInt8]
    private let text: ArraySlice<UInt8>
    private var at: Int
    /// The length of the longest beginning of `wanted` that ends before `at`.
    private var matched = 0
    /// For each byte of `wanted`, the length of the longest beginning, other than all up to there, that ends with it.
    private var matchedWithin: [Int] = []

    fileprivate init(of wanted: [UInt8], in text: ArraySlice<UInt8>) {
        self.wanted = wanted
        self.text = text
        let mayBeFound = !wanted.isEmpty && wanted.count <= text.count
        at = mayBeFound ? text.startIndex : text.endIndex
        guard mayBeFound else { return }
        matchedWithin = [0]
        for byte in wanted.dropFirst() { matchedWithin.append(matched(and: byte, after: matchedWithin.last ?? 0)) }
    }

    mutating func next() -> Int? {
        while at < text.endIndex {
            matched = matched(and: text[at], after: matched)
            at += 1
            if matched == wanted.count { return at - matched }
        }
        return nil
    }

    /// Returns the length of the longest beginning that ends with the byte, if it was `matched` before it.
    private func matched(and byte: UInt8, after matched: Int) -> Int {
        var matched = matched
        while matched > 0, matched == wanted.count || wanted[matched] != byte { matched = matchedWithin[matched - 1] }
        return wanted[matched] == byte ? matched + 1 : 0
    }
}

extension ArraySlice<UInt8> {
    /// Returns all places of `wanted` in order; none when it is empty.
    func places(of wanted: [UInt8]) -> Places { Places(of: wanted, in: self) }
}
