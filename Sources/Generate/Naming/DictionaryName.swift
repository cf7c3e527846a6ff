import Model

/// The name of a dictionary as it may stand in generated code and in paths, whatever the dictionary is called.
package enum DictionaryName {
    /// As settings allow them, since the name of a folder may have any character.
    private static let maximumBytes = 64

    /// - Returns: `text` with `_` for everything but ASCII letters, digits, `-` and `_`; never empty.
    package static func plain(_ text: String) -> String {
        let plain = text.unicodeScalars.prefix(maximumBytes).map { isAllowed($0) ? Character($0) : "_" }
        return plain.isEmpty ? "_" : String(plain)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
        default: false
        }
    }
}
