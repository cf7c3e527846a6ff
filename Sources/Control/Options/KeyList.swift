import Model

/// Keys that are separated by commas. Names in quotes may have commas.
enum KeyList {
    static func split(_ text: String) -> [String] {
        var (keys, key, quotes) = ([String](), String.UnicodeScalarView(), Quotes())
        for scalar in text.unicodeScalars {
            if !quotes.contains(scalar), scalar == "," {
                keys.append(trimmed(key))
                key = String.UnicodeScalarView()
            } else {
                key.append(scalar)
            }
        }
        return keys + [trimmed(key)]
    }

    /// Where a key has quotes, as it is read from its beginning.
    struct Quotes {
        private var quote: Unicode.Scalar?
        private var isEscaped = false

        /// Whether the next character is in quotes, or one of them.
        mutating func contains(_ scalar: Unicode.Scalar) -> Bool {
            guard let quote else {
                if scalar == "\"" || scalar == "'" { quote = scalar }
                return quote != nil
            }
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == quote {
                self.quote = nil
            }
            return true
        }
    }

    private static func trimmed(_ key: String.UnicodeScalarView) -> String {
        var key = key[...]
        while key.first == " " { key.removeFirst() }
        while key.last == " " { key.removeLast() }
        return String(key)
    }
}
