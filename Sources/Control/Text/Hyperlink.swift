/// A URL that a terminal opens when its text is clicked.
///
/// The URL may come from a definition or payload, so that only printable ASCII is written into the escape sequence.
/// - Source: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda, "Hyperlinks in Terminal Emulators"
struct Hyperlink: Sendable, Equatable {
    /// The URL, with all bytes but printable ASCII percent-encoded.
    let url: String

    /// The longest URL that terminals support, in bytes.
    private static let longest = 2083

    /// - Returns: `nil` for a URL that is too long or empty.
    init?(_ url: String) {
        var result = ""
        for byte in url.utf8 {
            if (0x21...0x7E).contains(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        guard !result.isEmpty, result.utf8.count <= Self.longest else { return nil }
        self.url = result
    }

    /// Returns `text` between the sequences of OSC 8.
    func around(_ text: String) -> String { "\u{1B}]8;;\(url)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\" }
}
