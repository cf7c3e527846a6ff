package import Model

/// A column of a table of stored events, for SQL.
package enum RowColumn: Sendable, Hashable, Codable {
    /// Integers: the id; 0 to 7, lower numbers being more severe, by the program if it says so; the pid.
    case id, priority, pid
    /// `SQLTime`
    case time, programTime
    /// The beginning of the time, which all events of a minute, an hour or a day share.
    case timeUnit(TimeUnit)
    /// The name of a level: by the program if it says so, by the journal, or only by the program.
    case level, journalLevel, programLevel
    case text(Predicate.TextKey)
    /// A text that is a decimal number.
    case number(Predicate.TextKey)
    case uid
    /// How many there are.
    case violations, warnings
    /// Why the event is malformed, or undefined although there is a definition.
    case reason
    /// The JSON text of the payload.
    case payload
    /// The text of an event without a payload, or the text that the payload was taken from.
    case message
    /// - Parameters:
    ///   - isObject: whether the values are objects, which have no column in blocks.
    ///   - isExact: whether numbers that are no integers are texts, with the digits that were sent.
    case parameter(Predicate.ParameterPath, isObject: Bool, isExact: Bool = false)
    /// What a violation or a warning consists of, in tables that have a row for each.
    case rule, subject, expected, found
}

/// What tables have rows for.
package enum RowKind: String, Sendable, Hashable, Codable {
    case events, violations, warnings
}

/// A value as SQLite has it. The bytes of a text are valid as long as what gave the value says.
package enum RowValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
}

extension Double {
    /// The number that SQLite takes a text for, if it takes all of it for one.
    package init?(sqlText text: String) {
        var text = text
        guard let number = text.withUTF8({ Double(sqlNumber: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = number
    }

    /// The number that SQLite takes a text for, if it takes all of it for one.
    /// - Source: https://www.sqlite.org/datatype3.html#affinity
    init?(sqlNumber text: UnsafeRawBufferPointer) {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard var first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return nil }
        // Swift reads no + before a number that begins with a dot, and more texts than SQLite: nan, 0x10.
        if text[first] == UInt8(ascii: "+") { first += 1 }
        guard first <= last, text[first] != UInt8(ascii: "+") else { return nil }
        let digits = text[first...last]
        guard digits.allSatisfy({ $0.isDigit || "+-.eE".utf8.contains($0) }) else { return nil }
        var shown = String(decoding: digits, as: UTF8.self)
        if shown.hasSuffix(".") { shown += "0" }
        if shown.hasPrefix(".") { shown = "0" + shown }
        if shown.hasPrefix("-.") { shown = "-0" + shown.dropFirst() }
        guard let number = Double(shown.replacing(".e", with: ".0e").replacing(".E", with: ".0E")) else { return nil }
        self = number
    }

    /// Whether the digits of a JSON number are those of the double, so that nothing is lost.
    func isSame(as text: UnsafeRawBufferPointer) -> Bool {
        guard isFinite else { return false }
        let written = Decimals(text)
        // A double keeps any fifteen digits, unless it is very small.
        if written.digits.count <= 15, magnitude >= 1e-290 || written.digits.isEmpty { return true }
        var shown = description
        return shown.withUTF8 { Decimals(UnsafeRawBufferPointer($0)) == written }
    }
}

/// The digits of a number, without zeros at both ends, and the power of ten of the last one.
private struct Decimals: Equatable {
    var digits: [UInt8] = []
    private var exponent = 0

    init(_ text: UnsafeRawBufferPointer) {
        let mark = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.endIndex
        exponent = Int(String(decoding: text[mark...].dropFirst(), as: UTF8.self)) ?? 0
        var isFraction = false
        for byte in text[..<mark] {
            if byte == UInt8(ascii: ".") { isFraction = true }
            guard byte.isDigit else { continue }
            digits.append(byte)
            // The exponent is what somebody sent, and may be any.
            if isFraction { exponent &-= 1 }
        }
        while digits.last == 0x30 {
            digits.removeLast()
            exponent &+= 1
        }
        digits = Array(digits.drop { $0 == 0x30 })
        if digits.isEmpty { exponent = 0 }
    }
}
