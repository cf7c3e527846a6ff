internal import Model

/// Searching texts of others for a secret in visible ASCII. It is found as it is, escaped, in hexadecimal or in base64, even
/// with invisible characters in between.
struct SecretText {
    /// The shortest run of the secret's characters that is found; a shorter secret is found only as a whole.
    private static let shortestRun = 8
    /// How many times an escape may be escaped itself, as in a JSON text within a JSON text.
    private static let escapings = 4

    /// Each run of `runLength` characters of the secret, as a number.
    private let runs: Set<UInt64>
    private let runLength: Int

    private init(_ secret: String) {
        let bytes = Array(secret.utf8)
        let length = min(bytes.count, Self.shortestRun)
        runLength = length
        runs = Set(
            (0...bytes.count - length).map { start in
                bytes[start..<start + length].reduce(0) { $0 << 8 | UInt64($1) }
            })
    }

    /// Returns a part of a URL as it is and decoded, with `+` as itself and as a space. Of what is decoded, only visible
    /// ASCII is in secrets.
    static func spellings(_ part: String) -> [String] {
        var spellings = Set(exact: [part])
        for text in [Array(part.utf8), part.utf8.filter { $0 != UInt8(ascii: "+") }] {
            var decoded: [UInt8]? = text
            for _ in 0...escapings {
                guard let text = decoded else { break }
                spellings.insert(String(decoding: squeezed(text, joiningLines: false), as: UTF8.self))
                decoded = unescaped(text)
            }
        }
        return spellings.map(\.text)
    }

    /// Whether a text has enough of a secret in it to reveal something.
    static func isIn(_ text: [UInt8], _ secrets: [String]) -> Bool {
        let secrets = secrets.filter { !$0.isEmpty }.map(SecretText.init)
        guard !secrets.isEmpty else { return false }
        return readings(of: text).contains { reading in
            ([reading] + fromHexadecimal(reading) + fromBase64(reading)).contains { decoded in
                secrets.contains { $0.isIn(decoded) }
            }
        }
    }

    private func isIn(_ text: [UInt8]) -> Bool {
        // The first numbers are not runs: they contain zeros, and no secret does.
        var run: UInt64 = 0
        let mask = UInt64.max >> (64 - 8 * runLength)
        return text.contains { byte in
            run = (run << 8 | UInt64(byte)) & mask
            return runs.contains(run)
        }
    }

    // MARK: decoding

    /// Returns the text as it is, and with its escapes decoded once, twice and so on.
    private static func readings(of text: [UInt8]) -> [[UInt8]] {
        // A secret may end with a character that also marks a continued line.
        var readings = [squeezed(text, joiningLines: false), squeezed(text, joiningLines: true)]
        for _ in 0..<escapings {
            guard let next = readings.last.flatMap(unescaped) else { break }
            readings.append(squeezed(next, joiningLines: true))
        }
        return readings
    }

    /// Returns only the visible ASCII characters of a text.
    /// - Parameter joiningLines: whether `=` (quoted-printable) and `\` at the end of a line are left out as well.
    private static func squeezed(_ text: [UInt8], joiningLines: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() where (0x21...0x7E).contains(byte) {
            if joiningLines, byte == UInt8(ascii: "=") || byte == UInt8(ascii: "\\"),
                index + 1 < text.count, text[index + 1] == 0x0A || text[index + 1] == 0x0D
            {
                continue
            }
            result.append(byte)
        }
        return result
    }

    /// Returns the text with each escape decoded once; `nil` when there is none.
    private static func unescaped(_ text: [UInt8]) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let escape = escape(text, at: index) {
                // Secrets have only ASCII characters, so the bytes of other characters do not matter.
                result.append(UInt8(exactly: escape.code) ?? 0xFF)
                index += escape.length
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result.count == text.count ? nil : result
    }

    private static func escape(_ text: [UInt8], at index: Int) -> Escape? {
        guard [UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: "&")].contains(text[index]) else { return nil }
        return Escape(Array(text[index...].prefix(Escape.maximumLength)))
    }

    /// Returns the text decoded from its hexadecimal digits, once for each possible alignment of digits to bytes.
    private static func fromHexadecimal(_ text: [UInt8]) -> [[UInt8]] {
        [0, 4].map { decoded(text, bitsPerDigit: 4, missing: $0) { Character(Unicode.Scalar($0)).hexDigitValue } }
    }

    /// Returns the text decoded from its base64 digits, in the usual alphabet and that of URLs, once for each possible
    /// alignment of digits to bytes.
    private static func fromBase64(_ text: [UInt8]) -> [[UInt8]] {
        [0, 2, 4, 6].map { decoded(text, bitsPerDigit: 6, missing: $0, digit: base64Digit) }
    }

    /// - Parameter missing: the number of bits of a byte that come before the first digit of each run of digits.
    private static func decoded(
        _ text: [UInt8], bitsPerDigit: Int, missing: Int, digit: (UInt8) -> Int?
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var (bits, count) = (0, missing)
        for byte in text {
            guard let digit = digit(byte) else {
                // A separator: the next byte does not continue the text before.
                result.append(0)
                (bits, count) = (0, missing)
                continue
            }
            bits = bits << bitsPerDigit | digit
            count += bitsPerDigit
            guard count >= 8 else { continue }
            count -= 8
            result.append(UInt8(bits >> count))
            bits &= (1 << count) - 1
        }
        return result
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
