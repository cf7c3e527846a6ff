import Model

/// Keys that are separated by commas. Names in quotes may have commas.
enum KeyList {
    static func split(_ text: String) -> [String] {
        var (keys, key, quote) = ([String](), String.UnicodeScalarView(), Unicode.Scalar?.none)
        for scalar in text.unicodeScalars {
            if scalar == ",", quote == nil {
                keys.append(trimmed(key))
                key = String.UnicodeScalarView()
                continue
            }
            if scalar == quote { quote = nil } else if quote == nil, scalar == "\"" || scalar == "'" { quote = scalar }
            key.append(scalar)
        }
        return keys + [trimmed(key)]
    }

    private static func trimmed(_ key: String.UnicodeScalarView) -> String {
        var key = key[...]
        while key.first == " " { key.removeFirst() }
        while key.last == " " { key.removeLast() }
        return String(key)
    }
}
