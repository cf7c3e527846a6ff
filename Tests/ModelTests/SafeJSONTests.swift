import Foundation
import Model
import Testing

@Suite struct SafeJSONTests {
    /// Everything that a terminal may act on and JSON lets stand in a string, in two places.
    private static let hostile: [UInt8] = Array(
        "{\"m\":\"\u{9B}31m \u{202E}gnp \u{7F}\u{2028}\u{FEFF} 豚の角煮 🍲 e\u{301}\",\t\"k\u{85}\": [1,\r2]}".utf8)

    @Test func `on a terminal nothing is left that it acts on, and the JSON means the same`() throws {
        let shown = SafeText.neutralised(json: Self.hostile)
        let text = String(decoding: shown, as: UTF8.self)
        #expect(!text.unicodeScalars.contains(where: SafeText.isUnsafe))
        #expect(
            text == #"{"m":"\u009b31m \u202egnp \u007f\u2028\ufeff 豚の角煮 🍲 e"# + "\u{301}\"," + #" "k\u0085": [1, 2]}"#)
        let parsed = try [Self.hostile, shown].map { bytes in
            try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? NSDictionary)
        }
        #expect(parsed[0] == parsed[1])
    }

    @Test func `bytes that are no UTF-8 become an escape, lines stay lines`() {
        let bytes = Array("[\n\"".utf8) + [0xFF, 0xC3] + Array("\u{1B}\u{FFFD}\u{FE0F}\"\n]\n".utf8)
        #expect(
            String(decoding: SafeText.neutralised(json: bytes), as: UTF8.self)
                == "[\n\"" + #"\ufffd\ufffd\u001b\ufffd\ufe0f"# + "\"\n]\n")
    }
}
