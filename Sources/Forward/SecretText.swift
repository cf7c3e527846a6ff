internal import Model

/// A secret in visible ASCII that is removed from text of others. It removes each run of the secret's characters that
/// is long enough to reveal something: as it is, escaped, in hexadecimal or in base64, even with invisible characters
/// in between.
struct SecretText {
    /// The shortest run of the secret's characters that is removed; a shorter secret is removed only as a whole.
    private static let shortestRun = 8
    /// How many times an escape may be escaped itself, as in a JSON text within a JSON text.
    private static let escapings = 4
    /// At least the length of a character's longest escape that is escaped itself, such as `\\\\\\u002b`.
    private static let longestEscape = 16
    private static let replacement = Array("…".utf8)

    private let secret: [UInt8]
    /// Each run of `runLength` characters of the secret, as a number.
    private let runs: Set<UInt64>
    private let runLength: Int

    private init(_ secret: String) {
        self.secret = Array(secret.utf8)
        runLength = min(max(self.secret.count, 1), Self.shortestRun)
        runs = Set(Self.runs(self.secret, length: runLength).dropFirst(runLength - 1))
    }

    /// Returns a part of a URL as it is and decoded, with `+` as itself and as a space. Of what is decoded, only visible ASCII is
    /// in secrets.
    static func spellings(_ part: String) -> [String] {
        var spellings = [part]
        for text in [part.utf8.map(\.self), part.utf8.filter { $0 != UInt8(ascii: "+") }] {
            var decoded = DecodedText(text)
            for _ in 0...escapings {
                let bytes = decoded.squeezed(joiningLines: false).bytes.map(\.value)
                spellings.append(String(decoding: bytes, as: UTF8.self))
                guard let next = decoded.unescaped() else { break }
                decoded = next
            }
        }
        return Array(Set(spellings.map { ExactString($0) })).map(\.text)
    }

    /// - Parameter isCut: whether the text continued. Then even a shorter part of a secret is removed at its end.
    static func remove(_ secrets: [String], from text: [UInt8], isCut: Bool) -> [UInt8] {
        let secrets = secrets.filter { !$0.isEmpty }.map(SecretText.init)
        guard !secrets.isEmpty else { return text }
        // After this place there may be half an escape.
        let limit = isCut ? max(text.count - longestEscape, 0) : text.count
        // All are searched for in the whole text: what one leaves may be too short for another to be found.
        var isHidden = Array(repeating: false, count: text.count)
        for reading in readings(of: text) {
            let decodings = [reading] + reading.fromHexadecimal() + reading.fromBase64()
            for secret in secrets {
                for place in decodings.flatMap(secret.places) { place.forEach { isHidden[$0] = true } }
                if isCut { secret.lastPlace(in: reading, before: limit).forEach { isHidden[$0] = true } }
            }
        }
        var result: [UInt8] = []
        for index in 0..<limit {
            if !isHidden[index] {
                result.append(text[index])
            } else if index == 0 || !isHidden[index - 1] {
                result += replacement
            }
        }
        return result
    }

    /// Returns the text as it is, and with its escapes decoded once, twice and so on.
    private static func readings(of text: [UInt8]) -> [DecodedText] {
        let text = DecodedText(text)
        // A secret may end with a character that also marks a continued line.
        var readings = [text.squeezed(joiningLines: false), text.squeezed(joiningLines: true)]
        for _ in 0..<escapings {
            guard let next = readings.last?.unescaped() else { break }
            readings.append(next.squeezed(joiningLines: true))
        }
        return readings
    }

    /// Returns the places of the secret's runs. They do not overlap.
    private func places(in reading: DecodedText) -> [Range<Int>] {
        var places: [Range<Int>] = []
        for (index, run) in Self.runs(reading.bytes.lazy.map(\.value), length: runLength).enumerated()
        where runs.contains(run) {
            let start = reading.bytes[index - runLength + 1].place.lowerBound
            let end = reading.bytes[index].place.upperBound
            places.append(max(start, places.last?.upperBound ?? 0)..<end)
        }
        return places
    }

    /// Returns the range before `limit` that may be a part of the secret shorter than a run.
    private func lastPlace(in reading: DecodedText, before limit: Int) -> Range<Int> {
        let bytes = reading.bytes.prefix { $0.place.lowerBound < limit }.suffix(runLength - 1)
        let part = bytes.indices.first { secret.firstRange(of: bytes[$0...].map(\.value)) != nil }
        guard let part, let last = bytes.last else { return limit..<limit }
        return bytes[part].place.lowerBound..<last.place.upperBound
    }

    /// Returns the number of the run that ends at each byte. The first numbers are not runs: they contain zeros, and no
    /// secret does.
    private static func runs(_ bytes: some Sequence<UInt8>, length: Int) -> [UInt64] {
        var run: UInt64 = 0
        let mask = UInt64.max >> (64 - 8 * length)
        return bytes.map { byte in
            run = (run << 8 | UInt64(byte)) & mask
            return run
        }
    }
}
