package import Model

/// Finds the names that a file seems to protect although it cannot be parsed: it has errors, or is not even text.
///
/// It goes by lines and errs on the side of protection: a line that mentions `privacy` protects the names in the
/// previous lines, up to the one to which it certainly belongs. Its time is linear in the length of the text.
package enum PrivacyScan {
    /// The number of lines before an annotation that it may refer to.
    private static let rememberedLines = 16
    private static let longestName = 256

    /// A line with something that looks like a name: `name:`.
    private struct Line {
        var names: [String]
        var indentation: Int
        /// Whether it can only be a parameter: an item with `name: !type`.
        var isParameter: Bool
        var isItem: Bool
        /// How all its names are protected.
        var privacy = Privacy.public
    }

    package static func protectedNames(in bytes: [UInt8]) -> [ExactString: Privacy] {
        var found: [ExactString: Privacy] = [:]
        var above: [Line] = []
        for text in plain(bytes).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line(text)
            let privacy = privacy(in: text, isParameter: line.isParameter)
            above.append(line)
            if let privacy { protect(&above, privacy, &found) }
            if line.names.isEmpty || privacy != nil && !line.isParameter { above.removeLast() }
            if above.count > rememberedLines { above.removeFirst() }
        }
        return found
    }

    /// Normalizes the text. It removes the marks that Markdown allows anywhere in a name, and zero bytes, so that
    /// UTF-16 reads as ASCII. It replaces colons of Japanese keyboards by ASCII colons, and every list marker by `-`.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var last: UInt8?
        for byte in bytes where byte != 0 {
            defer { last = byte }
            if isSpace(byte), last == UInt8(ascii: "*"), plain.last.map({ $0 <= 0x20 }) ?? true {
                plain.append(UInt8(ascii: "-"))
            }
            if "\\`*".utf8.contains(byte) { continue }
            plain.append(byte)
            if byte == 0x9A, plain.suffix(3).elementsEqual("：".utf8) {
                plain.removeLast(3)
                plain.append(UInt8(ascii: ":"))
            }
        }
        return plain
    }

    /// - Parameter lines: the lines; the last one is the annotation, which may be in the same line as its parameter.
    private static func protect(
        _ lines: inout [Line], _ privacy: Privacy, _ found: inout [ExactString: Privacy]
    ) {
        let (indentation, last) = (lines.last?.indentation ?? 0, lines.count - 1)
        for place in lines.indices.reversed() {
            let line = lines[place]
            // A line may have a million names, and be above many annotations.
            if line.privacy < privacy {
                let isWhole = place < last || line.isParameter
                for name in line.names where isWhole || !isPrivacy(name) {
                    found[name] = max(found[name] ?? .public, privacy)
                }
                if isWhole { lines[place].privacy = privacy }
            }
            // Markdown may make lines of the same or deeper indentation a part of a parameter further up.
            let isAbove = line.indentation < indentation || (line.isParameter && line.indentation == 0)
            if isAbove, line.isParameter || (line.isItem && line.indentation == 0) { return }
        }
    }

    // MARK: annotations

    /// Returns the privacy that the line states; `nil` when it states none, or that the value is not private.
    private static func privacy(in line: ArraySlice<UInt8>, isParameter: Bool) -> Privacy? {
        let words = line.split { !$0.isLetter }.filter { (4...9).contains($0.count) }
            .map { String(decoding: $0, as: UTF8.self).lowercased() }
        guard let place = words.firstIndex(where: isPrivacy) else { return nil }
        if words.contains(where: { $0.hasPrefix("private") }) { return .private }
        if words.contains(where: { $0.hasPrefix("hash") }) { return .hash }
        // Otherwise the privacy is misspelled, or the line is a sentence.
        let isShort = place == 0 && words.count <= 2 && line.contains { ":=".utf8.contains($0) }
        return isShort && !isParameter && !words.contains("public") ? .private : nil
    }

    private static let key = "privacy".unicodeScalars.map(\.value)

    private static func isPrivacy(_ word: String) -> Bool {
        EditDistance.between(word.lowercased().unicodeScalars.map(\.value), key, limit: 1) != nil
    }

    // MARK: names

    private static func line(_ bytes: ArraySlice<UInt8>) -> Line {
        let content = bytes.drop { isSpace($0) || $0 == UInt8(ascii: ">") }
        let isItem = content.first.map { "-+".utf8.contains($0) || $0.isDigit } ?? false
        var line = Line(
            names: [], indentation: bytes.count - content.count, isParameter: false, isItem: isItem)
        for colon in content.indices where content[colon] == UInt8(ascii: ":") {
            if line.names.isEmpty, let name = wholeName(content[..<colon]) { line.names.append(name) }
            let word = content[..<colon].suffix(longestName).reversed().drop(while: isSpace).prefix(
                while: \.isWordByte)
            if !word.isEmpty { line.names.append(String(decoding: word.reversed(), as: UTF8.self)) }
            let type = content[(colon + 1)...].prefix(longestName).drop(while: isSpace)
            if isItem, type.first == UInt8(ascii: "!") { line.isParameter = true }
        }
        return line
    }

    /// Returns everything before the colon, such as `user-name`. That is not a valid name of a parameter, but may be a
    /// payload's key.
    private static func wholeName(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count <= longestName else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).drop { " \t-+.)".contains($0) || $0.isNumber }
        let name = text.hasPrefix("[") ? text.drop { $0 != "]" }.dropFirst() : text
        let words = name.split { $0.isWhitespace }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
