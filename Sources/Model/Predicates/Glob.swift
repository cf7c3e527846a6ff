/// A pattern of `*` (any run of characters) and `?` (any one character), as everywhere in Gloss.
package struct Glob: Sendable, Hashable {
    package let pattern: String
    private let kind: Kind

    private enum Kind: Sendable, Hashable {
        case anything
        case exact([UInt8])
        case prefix([UInt8])
        /// What stands between the `*`: the first at the start of a text, the last at its end.
        case pieces([[UInt8]])
    }

    package init(_ pattern: String) {
        self.pattern = pattern
        let bytes = Array(pattern.utf8)
        let pieces = bytes.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
        let isPlain = !bytes.contains(Self.any)
        kind =
            if pattern == "*" {
                .anything
            } else if isPlain && pieces.count == 1 {
                .exact(bytes)
            } else if isPlain && pieces.count == 2 && pieces[1].isEmpty {
                .prefix(pieces[0])
            } else {
                .pieces(pieces)
            }
    }

    private static let any = UInt8(ascii: "?")

    /// The only text that it matches; `nil` when it may match others.
    package var exactText: String? { if case .exact = kind { pattern } else { nil } }

    /// The longest of the parts between `*` that have a `?`. To find one, each place of a text is compared with it.
    package var longestWildPart: Int {
        guard case .pieces(let pieces) = kind else { return 0 }
        return pieces.filter { $0.contains(Self.any) }.map(\.count).max() ?? 0
    }

    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    package func matches(_ text: UnsafeRawBufferPointer) -> Bool {
        switch kind {
        case .anything: true
        case .exact(let bytes): text.elementsEqual(bytes)
        case .prefix(let start): text.starts(with: start)
        case .pieces(let pieces): Self.matches(pieces, text)
        }
    }

    /// Returns whether some text matches both patterns. For patterns that are longer than names it says yes.
    package func overlaps(_ other: Glob) -> Bool {
        let (mine, theirs) = (Array(pattern.unicodeScalars), Array(other.pattern.unicodeScalars.reversed()))
        guard max(mine.count, theirs.count) <= Self.longestCompared else { return true }
        // Whether the end of mine, at first nothing, overlaps each end of theirs: an element for each length.
        var fits = [true]
        for their in theirs { fits.append(their == "*" && fits[fits.count - 1]) }
        for my in mine.reversed() {
            var next = [my == "*" && fits[0]]
            for (length, their) in theirs.enumerated() {
                next.append(
                    my == "*" || their == "*"
                        ? fits[length + 1] || next[length]
                        : fits[length] && (my == their || my == "?" || their == "?"))
            }
            fits = next
        }
        return fits[theirs.count]
    }

    /// In characters.
    private static let longestCompared = 1024

    /// Each piece is taken where it is first found, so that the time is linear but for pieces with a `?`.
    private static func matches(_ pieces: [[UInt8]], _ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = pieces.first, let last = pieces.last, var at = end(of: first, at: 0, text) else {
            return false
        }
        guard pieces.count > 1 else { return at == text.count }
        guard let lastStart = start(of: last, text) else { return false }
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let end = firstEnd(of: piece, from: at, text) else { return false }
            at = end
        }
        return at <= lastStart
    }

    /// Returns the end of a piece that begins at a place; `nil` if it does not.
    private static func end(of piece: [UInt8], at start: Int, _ text: UnsafeRawBufferPointer) -> Int? {
        var at = start
        for byte in piece {
            guard at < text.count else { return nil }
            if byte == any {
                at += 1
                // One character, not one byte.
                while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
            } else {
                guard text[at] == byte else { return nil }
                at += 1
            }
        }
        return at
    }

    /// Returns the start of a piece at the end of a text; `nil` if it is not there.
    private static func start(of piece: [UInt8], _ text: UnsafeRawBufferPointer) -> Int? {
        var at = text.count
        for byte in piece.reversed() {
            guard at > 0 else { return nil }
            at -= 1
            if byte == any {
                while at > 0, text[at] & 0xC0 == 0x80 { at -= 1 }
            } else if text[at] != byte {
                return nil
            }
        }
        return at
    }

    private static func firstEnd(of piece: [UInt8], from start: Int, _ text: UnsafeRawBufferPointer) -> Int? {
        guard piece.contains(any) else { return text.firstPlace(of: piece, from: start).map { $0 + piece.count } }
        for place in start..<max(start, text.count) {
            if let end = end(of: piece, at: place, text) { return end }
        }
        return nil
    }
}
