/// Text as a scalar of YAML.
package enum YAMLText {
    /// Returns the text as it is where that means the same, and otherwise between quotes.
    package static func scalar(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || (0x30...0x39).contains(scalar.value)
                || "/_-.".unicodeScalars.contains(scalar)
        }
        let beginsWithLetter = text.unicodeScalars.first?.properties.isAlphabetic ?? false
        let words = ["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
        return isPlain && beginsWithLetter && !words.contains(text.lowercased()) ? text : quoted(text)
    }

    /// Returns the text between quotes. JSON's quotes and escapes mean the same in YAML.
    package static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
