/// A secret in visible ASCII, to be taken out of text in which somebody else has put it: each run of its characters that
/// is long enough to tell something, as it is, escaped, in hexadecimal or in base64, whatever invisible is between them.
struct SecretText {
    /// So many characters of the secret are taken out, fewer are not; of a shorter secret, all of it.
    private static let telling = 8
    /// How many times an escape may be escaped itself, as in a JSON text within a JSON text.
    private static let escapings = 4
    /// The longest escape of a character that is escaped itself, such as `\\\\\\u002b`, and some more.
    private static let longestEscape = 16
    private static let replacement = Array("…".utf8)

    private let secret: [UInt8]
    /// Each run of `runLength` characters of the secret, as a number.
    private let runs: Set<UInt64>
    private let runLength: Int

    init(_ secret: String) {
        self.secret = Array(secret.utf8)
        runLength = min(max(self.secret.count, 1), Self.telling)
        runs = Set(Self.runs(self.secret, length: runLength).dropFirst(runLength - 1))
    }

    /// - Parameter isCut: whether the text went on; what may be a part of the secret is then hidden at its end, however
    ///   short it is.
    func removed(from text: [UInt8], isCut: Bool) -> [UInt8] {
        guard !secret.isEmpty else { return text }
        // Behind it may be half an escape.
        let limit = isCut ? max(text.count - Self.longestEscape, 0) : text.count
        var isHidden = Array(repeating: false, count: text.count)
        for reading in readings(of: text) {
            for decoded in [reading] + reading.fromHexadecimal() + reading.fromBase64() {
                for place in places(in: decoded) { place.forEach { isHidden[$0] = true } }
            }
            if isCut { lastPlace(in: reading, before: limit).forEach { isHidden[$0] = true } }
        }
        var result: [UInt8] = []
        for index in 0..<limit {
            if !isHidden[index] {
                result.append(text[index])
            } else if index == 0 || !isHidden[index - 1] {
                result += Self.replacement
            }
        }
        return result
    }

    /// The text as it is, and with more and more of its escapes decoded.
    private func readings(of text: [UInt8]) -> [DecodedText] {
        let text = DecodedText(text)
        // A secret may end in what says that a line goes on.
        var readings = [text.squeezed(joiningLines: false), text.squeezed(joiningLines: true)]
        for _ in 0..<Self.escapings {
            guard let next = readings.last?.unescaped() else { break }
            readings.append(next.squeezed(joiningLines: true))
        }
        return readings
    }

    /// Where runs of the secret are. They do not overlap.
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

    /// Where the last characters before a place of the text may be a part of the secret that is shorter than a run.
    private func lastPlace(in reading: DecodedText, before limit: Int) -> Range<Int> {
        let bytes = reading.bytes.prefix { $0.place.lowerBound < limit }.suffix(runLength - 1)
        let part = bytes.indices.first { secret.firstRange(of: bytes[$0...].map(\.value)) != nil }
        guard let part, let last = bytes.last else { return limit..<limit }
        return bytes[part].place.lowerBound..<last.place.upperBound
    }

    /// The number of the run that ends at each byte. The first ones are no runs: they have zeros, and no secret does.
    private static func runs(_ bytes: some Sequence<UInt8>, length: Int) -> [UInt64] {
        var run: UInt64 = 0
        let mask = UInt64.max >> (64 - 8 * length)
        return bytes.map { byte in
            run = (run << 8 | UInt64(byte)) & mask
            return run
        }
    }
}
