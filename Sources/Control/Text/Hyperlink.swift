/// A URL that a terminal opens from a text of its own.
///
/// The URL may hold what a definition or a payload says: only printable ASCII gets into the escape sequence.
/// - Source: https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda, "Hyperlinks in Terminal Emulators"
package struct Hyperlink: Sendable, Equatable {
    /// With every other byte percent-encoded.
    package let url: String

    /// The longest URL that terminals agree on, in bytes.
    private static let longest = 2083

    /// - Returns: `nil` for a URL that is too long, and for an empty one.
    package init?(_ url: String) {
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

    /// `text` between the sequences of OSC 8.
    func around(_ text: String) -> String { "\u{1B}]8;;\(url)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\" }
}
