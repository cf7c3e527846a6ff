import Model

/// A decoded text in which each byte has its place in the original text.
struct DecodedText {
    struct Byte {
        var value: UInt8
        var place: Range<Int>
    }

    private(set) var bytes: [Byte]

    init(_ text: [UInt8]) {
        bytes = text.enumerated().map { Byte(value: $1, place: $0..<($0 + 1)) }
    }

    private init(_ bytes: [Byte]) {
        self.bytes = bytes
    }

    /// Returns only its visible ASCII characters.
    /// - Parameter joiningLines: whether `=` (quoted-printable) and `\` at the end of a line are removed as well.
    func squeezed(joiningLines: Bool) -> DecodedText {
        var result: [Byte] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() where (0x21...0x7E).contains(byte.value) {
            if joiningLines, byte.value == UInt8(ascii: "=") || byte.value == UInt8(ascii: "\\"),
                index + 1 < bytes.count, bytes[index + 1].value == 0x0A || bytes[index + 1].value == 0x0D
            {
                continue
            }
            result.append(byte)
        }
        return DecodedText(result)
    }

    /// Returns the text with each escape decoded once; `nil` when there is none.
    func unescaped() -> DecodedText? {
        var result: [Byte] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if let (escape, place) = escape(at: index) {
                // Secrets have only ASCII characters, so the bytes of other characters do not matter.
                result.append(Byte(value: UInt8(exactly: escape.code) ?? 0xFF, place: place))
                index += escape.length
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result.count == bytes.count ? nil : DecodedText(result)
    }

    private func escape(at index: Int) -> (Escape, place: Range<Int>)? {
        guard [UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&")].contains(bytes[index].value),
            let escape = Escape(bytes[index...].prefix(Escape.maximumLength).map(\.value))
        else { return nil }
        let last = bytes[index + escape.length - 1]
        return (escape, bytes[index].place.lowerBound..<last.place.upperBound)
    }

    /// Returns the text decoded from its hexadecimal digits, once for each possible alignment of digits to bytes.
    func fromHexadecimal() -> [DecodedText] {
        [0, 4].map { decoded(bitsPerDigit: 4, missing: $0) { Character(Unicode.Scalar($0)).hexDigitValue } }
    }

    /// Returns the text decoded from its base64 digits, in the usual alphabet and that of URLs, once for each possible
    /// alignment of digits to bytes.
    func fromBase64() -> [DecodedText] {
        [0, 2, 4, 6].map { decoded(bitsPerDigit: 6, missing: $0, digit: Self.base64Digit) }
    }

    /// - Parameter missing: the number of bits of a byte that come before the first digit of each run of digits.
    private func decoded(bitsPerDigit: Int, missing: Int, digit: (UInt8) -> Int?) -> DecodedText {
        var result: [Byte] = []
        result.reserveCapacity(bytes.count)
        var bits = 0
        var count = missing
        var start: Int?
        for byte in bytes {
            guard let digit = digit(byte.value) else {
                // A separator: the next byte does not continue the text before.
                result.append(Byte(value: 0, place: byte.place))
                (bits, count, start) = (0, missing, nil)
                continue
            }
            bits = bits << bitsPerDigit | digit
            count += bitsPerDigit
            let first = start ?? byte.place.lowerBound
            start = first
            guard count >= 8 else { continue }
            count -= 8
            result.append(Byte(value: UInt8(bits >> count), place: first..<byte.place.upperBound))
            bits &= (1 << count) - 1
            start = count > 0 ? byte.place.lowerBound : nil
        }
        return DecodedText(result)
    }

    private static func base64Digit(_ byte: UInt8) -> Int? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

/// The beginning of an upstream's reply, made safe for one line of a log or a terminal.
enum ReplyExcerpt {
    /// The most Unicode scalars: one character may have any number of them.
    private static let maximumScalars = 200

    /// - Parameters:
    ///   - isCut: whether the reply continued after these bytes.
    ///   - secrets: texts that must not be shown even if the upstream sends them back.
    static func clean(_ bytes: [UInt8], isCut: Bool = false, without secrets: [String]) -> String {
        // This comes first, while the secrets are still complete.
        let shown = SecretText.remove(secrets, from: bytes, isCut: isCut)
        // Characters that could move a cursor or change the direction of text separate words, as white space does.
        let words = String(decoding: shown, as: UTF8.self).unicodeScalars
            .split { $0.properties.isWhitespace || SafeText.isUnsafe($0) }
            .map { String($0) }.joined(separator: " ")
        let beginning = String(words.unicodeScalars.prefix(maximumScalars))
        return beginning.utf8.count < words.utf8.count ? beginning + "…" : words
    }
}
