internal import Model

/// The form in which the text of a payload is stored: a number and the text. The number is 0 if the text is whole, and otherwise
/// one more than the place in it at which the payload stood.
enum StoredText {
    static func encoded(_ text: MessageText?) -> [UInt8] {
        guard let text else { return [] }
        var output = ByteWriter()
        output.append(number: text.payloadPlace.map { $0 + 1 } ?? 0)
        output.append(text.bytes)
        return output.bytes
    }

    /// - Returns: `nil` if there is no text.
    static func decoded(_ bytes: UnsafeRawBufferPointer) throws(BlockDamage) -> MessageText? {
        guard !bytes.isEmpty else { return nil }
        var input = ByteReader(bytes)
        let place = try input.count(atMost: .max)
        let text = Array(input.rest())
        guard place <= text.count + 1 else { throw BlockDamage("a payload beyond the end of its text") }
        return MessageText(text, payloadPlace: place == 0 ? nil : place - 1)
    }
}

/// What a program says about an event, as a number: 0 for nothing; else one more than the level, if there is one, and 16 if
/// there is a time.
enum ProgramCode {
    static let none: Int64 = 0
    private static let time: Int64 = 16

    static func of(_ facts: ProgramFacts) -> Int64 {
        (facts.level.map { Int64($0.rawValue) + 1 } ?? 0) + (facts.timeMicroseconds == nil ? 0 : time)
    }

    static func hasTime(_ code: Int64) -> Bool { code >= time }

    /// - Returns: `nil` if it has no level.
    static func level(_ code: Int64) -> Int64? { code % time == 0 ? nil : code % time - 1 }
}

extension Level {
    /// - Parameter number: as it is stored; `nil` if it is no level.
    init?(stored number: Int64) {
        guard let value = UInt8(exactly: number) else { return nil }
        self.init(rawValue: value)
    }
}
