import Model

/// The pairs of a name and a value in a text.
struct TextPairs {
    struct Pair {
        var name: Range<Int>
        /// The value as it is written, with its quotes; `nil` if there is only a name.
        var value: Range<Int>?
        /// The text of the value, without quotes and escapes.
        var content: [UInt8]
        /// Whether the value stands in quotes, or in `<` and `>`.
        var isEnclosed = false

        /// What the pair takes in the text.
        var range: Range<Int> { name.lowerBound..<(value ?? name).upperBound }
    }

    /// An error: what is wrong at an offset in bytes.
    enum SyntaxError: Error, CustomStringConvertible {
        case openQuote(Int)
        case quoteWithinWord(Int)
        case noName(Int)

        var description: String {
            switch self {
            case .openQuote(let offset): "byte \(offset): the quote is not closed"
            case .quoteWithinWord(let offset): "byte \(offset): expected a space after the quote"
            case .noName(let offset): "byte \(offset): expected a name"
            }
        }
    }

    private let text: UnsafeRawBufferPointer
    private var at = 0
    private var pairs: [Pair] = []

    private init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// Returns the pairs of a text that consists of them: `level=info msg="hello world" fast`. A name alone stands for itself.
    /// - Returns: no pairs if the text does not begin with one.
    /// - Source: github.com/go-logfmt/logfmt, for what is written in quotes; brandur.org/logfmt
    static func logfmt(_ text: UnsafeRawBufferPointer) throws(SyntaxError) -> [Pair] {
        var reader = TextPairs(text)
        reader.skip(while: isSpace)
        while reader.at < text.count {
            let name = reader.run { !isSpace($0) && $0 != equals && $0 != quote }
            guard !name.isEmpty else {
                // What does not begin with a pair is no such text.
                guard !reader.pairs.isEmpty else { return [] }
                throw .noName(reader.at)
            }
            if reader.skip(equals) {
                let isQuoted = reader.isAt(quote)
                let (value, content) = isQuoted ? try reader.quoted() : reader.word()
                if reader.at < text.count, !isSpace(text[reader.at]) { throw .quoteWithinWord(reader.at - 1) }
                reader.pairs.append(Pair(name: name, value: value, content: content, isEnclosed: isQuoted))
            } else {
                guard !reader.pairs.isEmpty else { return [] }
                reader.pairs.append(Pair(name: name, value: nil, content: []))
            }
            reader.skip(while: isSpace)
        }
        return reader.pairs
    }

    /// Returns the pairs that stand in a text: `connect from 10.0.0.1: proto=ESMTP, helo=<a.example> (uid=0)`. Names have
    /// letters, digits, `_`, `-` and `.`. Values end at white space, a comma, a semicolon, or a bracket that they have not
    /// opened, unless they are in quotes or in `<` and `>`.
    static func syslog(_ text: UnsafeRawBufferPointer) -> [Pair] {
        var reader = TextPairs(text)
        while reader.at < text.count {
            let name = reader.run(while: isNameByte)
            guard !name.isEmpty, isNameStart(text[name.lowerBound]), reader.skip(equals) else {
                // A name does not begin within a word.
                reader.skip { !isBetweenPairs($0) }
                reader.skip(while: isBetweenPairs)
                continue
            }
            reader.appendSyslogValue(of: name)
            reader.skip(while: isBetweenPairs)
        }
        return reader.pairs
    }

    private mutating func appendSyslogValue(of name: Range<Int>) {
        let start = at
        if isAt(Self.quote) {
            if let (value, content) = try? quoted(), at == text.count || Self.isBetweenPairs(text[at]) {
                return pairs.append(Pair(name: name, value: value, content: content, isEnclosed: true))
            }
            // A quote that is not closed, or closed within a word, is a part of the value.
            at = start
        } else if skip(UInt8(ascii: "<")) {
            // At another `<` it ends, so that texts of many take no quadratic time.
            let content = run { !Self.isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
            if skip(UInt8(ascii: ">")), at == text.count || Self.isBetweenPairs(text[at]) {
                return pairs.append(
                    Pair(name: name, value: start..<at, content: Array(text[content]), isEnclosed: true))
            }
            at = start
        }
        var open = 0
        let value = run { byte in
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): open -= 1
            case UInt8(ascii: ","), UInt8(ascii: ";"): return open > 0
            default: break
            }
            return open >= 0 && !Self.isSpace(byte)
        }
        pairs.append(Pair(name: name, value: value, content: Array(text[value])))
    }

    /// Returns a text in quotes.
    static func quoted(_ content: [UInt8]) -> [UInt8] {
        var result = [quote]
        for byte in content {
            if byte == quote || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return result + [quote]
    }

    /// Reads a text in quotes.
    private mutating func quoted() throws(SyntaxError) -> (value: Range<Int>, content: [UInt8]) {
        let start = at
        var content: [UInt8] = []
        at += 1
        while at < text.count, text[at] != Self.quote {
            if text[at] == UInt8(ascii: "\\") {
                appendEscape(to: &content)
            } else {
                content.append(text[at])
                at += 1
            }
        }
        guard skip(Self.quote) else { throw .openQuote(start) }
        return (start..<at, content)
    }

    /// Appends what an escape stands for. One that is not known stands for itself.
    private mutating func appendEscape(to content: inout [UInt8]) {
        guard at + 1 < text.count else {
            at += 1
            return
        }
        let byte = text[at + 1]
        if byte == UInt8(ascii: "x"), let number = hexNumber(at: at + 2, digits: 2) {
            at += 4
            return content.append(UInt8(number))
        }
        if byte == UInt8(ascii: "U"), let number = hexNumber(at: at + 2, digits: 8) {
            at += 10
            return Self.append(number, to: &content)
        }
        if byte == UInt8(ascii: "u"), let number = hexNumber(at: at + 2, digits: 4) {
            at += 6
            guard let second = secondSurrogate(behind: number) else { return Self.append(number, to: &content) }
            at += 6
            return Self.append(0x10000 + (number - 0xD800) << 10 + (second - 0xDC00), to: &content)
        }
        at += 2
        switch byte {
        case UInt8(ascii: "a"): content.append(0x07)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "v"): content.append(0x0B)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"), UInt8(ascii: "]"):
            content.append(byte)
        default: content += [UInt8(ascii: "\\"), byte]
        }
    }

    private func hexNumber(at start: Int, digits: Int) -> UInt32? {
        guard start + digits <= text.count else { return nil }
        var number: UInt32 = 0
        for byte in text[start..<start + digits] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return number
    }

    /// JSON writes characters beyond U+FFFF as two escapes.
    private func secondSurrogate(behind first: UInt32) -> UInt32? {
        guard (0xD800..<0xDC00).contains(first), at + 1 < text.count, text[at] == UInt8(ascii: "\\"),
            text[at + 1] == UInt8(ascii: "u"), let second = hexNumber(at: at + 2, digits: 4)
        else { return nil }
        return (0xDC00..<0xE000).contains(second) ? second : nil
    }

    private static func append(_ number: UInt32, to content: inout [UInt8]) {
        content += Array(String(Unicode.Scalar(number).map(Character.init) ?? "\u{FFFD}").utf8)
    }

    // MARK: bytes

    private static let equals = UInt8(ascii: "=")
    private static let quote = UInt8(ascii: "\"")

    private static func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte.isLetter
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isNameByte || byte == UInt8(ascii: ".")
    }

    /// Whether bytes are a name as programs usually write it.
    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first.map(isNameStart) ?? false && bytes.allSatisfy(isNameByte)
    }

    private static func isBetweenPairs(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"):
            true
        default: isSpace(byte)
        }
    }

    private mutating func word() -> (value: Range<Int>, content: [UInt8]) {
        let value = run { !Self.isSpace($0) }
        return (value, Array(text[value]))
    }

    private func isAt(_ byte: UInt8) -> Bool { at < text.count && text[at] == byte }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard isAt(byte) else { return false }
        at += 1
        return true
    }

    private mutating func skip(while isWanted: (UInt8) -> Bool) {
        while at < text.count, isWanted(text[at]) { at += 1 }
    }

    private mutating func run(while isWanted: (UInt8) -> Bool) -> Range<Int> {
        let start = at
        skip(while: isWanted)
        return start..<at
    }
}
