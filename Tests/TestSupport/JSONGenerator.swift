/// Makes JSON texts, valid and nearly so. The same seed makes the same texts.
package struct JSONGenerator {
    package var random: SeededGenerator

    package init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
    }

    /// A valid object of a few members, without repeated keys at the top, and with numbers that a double holds.
    package mutating func object() -> [UInt8] {
        Array((space() + object(depth: 0) + space()).utf8)
    }

    /// The same text with one to three bytes changed, inserted, removed, doubled, or cut off behind.
    package mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
            let at = Int.random(in: 0..<text.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: text[at] = UInt8.random(in: 0...255, using: &random)
            case 1: text[at] = Self.meaningful.randomElement(using: &random) ?? 0
            case 2: text.insert(Self.meaningful.randomElement(using: &random) ?? 0, at: at)
            case 3: text.remove(at: at)
            case 4: text.insert(contentsOf: text[at...].prefix(8), at: at)
            default: text.removeSubrange(at...)
            }
        }
        return text
    }

    /// Bytes that mean something in JSON or in UTF-8.
    private static let meaningful =
        Array("{}[]:,\"\\/ \t\r\n0123456789+-.eEutfnabc".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC2, 0xED, 0xF0, 0xFF]

    private mutating func object(depth: Int) -> String {
        let members = (0..<Int.random(in: 0...6, using: &random)).map { index in
            "\(space())\"k\(index)\(characters())\"\(space()):\(space())\(value(depth: depth + 1))\(space())"
        }
        return "{\(members.isEmpty ? space() : members.joined(separator: ","))}"
    }

    private mutating func value(depth: Int) -> String {
        switch Int.random(in: 0..<(depth > 4 ? 8 : 10), using: &random) {
        case 0: "true"
        case 1: "false"
        case 2: "null"
        case 3, 4: number()
        case 5, 6, 7: "\"\(characters())\""
        case 8: object(depth: depth)
        default:
            "[\(elements(depth: depth + 1).joined(separator: " ,"))]"
        }
    }

    private mutating func elements(depth: Int) -> [String] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth: depth) }
    }

    private mutating func number() -> String {
        let sign = Bool.random(using: &random) ? "-" : ""
        let whole = String(Int.random(in: 0...Int(1) << Int.random(in: 1...62, using: &random), using: &random))
        let fraction = Bool.random(using: &random) ? ".\(Int.random(in: 0...999, using: &random))" : ""
        let exponent = ["", "", "e3", "E-7", "e+12"].randomElement(using: &random) ?? ""
        return sign + whole + fraction + exponent
    }

    private mutating func characters() -> String {
        let pieces = [
            "a", "plain text", "レシピ", "é", "🍣", "\\n", "\\\"", "\\\\", "\\/", "\\u3042", "\\u0000", "\\ud83c\\udf63",
            "\u{7F}",
            "\u{FEFF}", "\u{10FFFF}", " ", "1234567", "12345678",
        ]
        return (0..<Int.random(in: 0...4, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    private mutating func space() -> String {
        ["", "", "", " ", "\n", "\r\n", "\t", "  "].randomElement(using: &random) ?? ""
    }
}
