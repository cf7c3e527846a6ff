/// Text as a scalar of YAML.
package enum YAMLText {
    /// Returns the text as it is where that means the same, and otherwise between quotes.
    package static func scalar(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            !SafeText.isUnsafe(scalar) && scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
                || "/_-.".unicodeScalars.contains(scalar)
        }
        let beginsWithLetter = text.unicodeScalars.first?.properties.isAlphabetic ?? false
        let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        return isPlain && beginsWithLetter && !words.contains(text.lowercased()) ? text : quoted(text)
    }

    /// Returns the text between quotes, with escapes for what YAML does not allow and what a terminal may act on.
    /// - Source: YAML 1.2, 5.1 and 5.7
    package static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value > 0xFFFF && isEscaped(scalar):
                "\\U" + String(0x1_0000_0000 + UInt64(scalar.value), radix: 16).dropFirst()
            case _ where isEscaped(scalar): "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        SafeText.isUnsafe(scalar) || SafeText.isJoiner(scalar) || (0xFFFE...0xFFFF).contains(scalar.value)
    }
}
