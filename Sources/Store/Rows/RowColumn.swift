package import Model

/// A column of a table of stored events, for SQL.
package enum RowColumn: Sendable, Hashable, Codable {
    /// Integers: the id; 0 to 7, lower numbers being more severe, by the program if it says so; the pid.
    case id, priority, pid
    /// `SQLTime`
    case time, programTime
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
    /// - Parameter isObject: whether the values are objects, which have no column in blocks.
    case parameter(Predicate.ParameterPath, isObject: Bool)
    /// What a violation or a warning consists of, in tables that have a row for each.
    case rule, subject, expected, found
}

/// What tables have rows for.
package enum RowKind: String, Sendable, Hashable, Codable {
    case events, violations, warnings
}

/// A value as SQLite has it. The bytes of a text are valid only where they are given.
package enum RowValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(UnsafeRawBufferPointer)
}

/// Values that events share, in the form that SQLite has for JSON.
struct CellTable {
    private enum Cell {
        case null
        case integer(Int64)
        case real(Double)
        case text(start: Int, end: Int)
    }

    private var cells: [Cell] = []
    private var bytes: [UInt8] = []

    /// Adds a value of a payload: strings are texts, numbers are numbers if SQLite can keep them as they are and else texts,
    /// `true` is 1 and `false` 0, and all others are JSON texts.
    mutating func add(_ value: UnsafeRawBufferPointer, isString: Bool) -> Int32 {
        cells.append(isString ? text(value) : cell(value))
        return Int32(cells.count - 1)
    }

    mutating func add(text value: String) -> Int32 {
        var value = value
        return value.withUTF8 { add(UnsafeRawBufferPointer($0), isString: true) }
    }

    mutating func add(_ number: Int64) -> Int32 {
        cells.append(.integer(number))
        return Int32(cells.count - 1)
    }

    private mutating func text(_ value: UnsafeRawBufferPointer) -> Cell {
        let start = bytes.count
        bytes.append(contentsOf: value)
        return .text(start: start, end: bytes.count)
    }

    private mutating func cell(_ value: UnsafeRawBufferPointer) -> Cell {
        switch value.first {
        case UInt8(ascii: "t") where value.elementsEqual("true".utf8): return .integer(1)
        case UInt8(ascii: "f") where value.elementsEqual("false".utf8): return .integer(0)
        case UInt8(ascii: "n") where value.elementsEqual("null".utf8): return .null
        case let first? where first == UInt8(ascii: "-") || (0x30...0x39).contains(first):
            if let integer = Int64(exactText: value) { return .integer(integer) }
            if let real = Double(sqlNumber: value), real.isSame(as: value) { return .real(real) }
            return text(value)
        default: return text(value)
        }
    }

    /// - Parameter number: -1 for none.
    func withValue<Result>(_ number: Int32, _ body: (RowValue) throws -> Result) rethrows -> Result {
        guard number >= 0 else { return try body(.null) }
        switch cells[Int(number)] {
        case .null: return try body(.null)
        case .integer(let integer): return try body(.integer(integer))
        case .real(let real): return try body(.real(real))
        case .text(let start, let end):
            return try bytes.withUnsafeBytes { try body(.text(UnsafeRawBufferPointer(rebasing: $0[start..<end]))) }
        }
    }
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
        guard text.count <= 1024, var first = text.firstIndex(where: { !isSpace($0) }),
            let last = text.lastIndex(where: { !isSpace($0) })
        else { return nil }
        // Swift reads no + before a number that begins with a dot, and more texts than SQLite: nan, 0x10.
        if text[first] == UInt8(ascii: "+") { first += 1 }
        guard first <= last, text[first] != UInt8(ascii: "+") else { return nil }
        let digits = text[first...last]
        guard digits.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else { return nil }
        var shown = String(decoding: digits, as: UTF8.self)
        if shown.hasSuffix(".") { shown += "0" }
        if shown.hasPrefix(".") { shown = "0" + shown }
        if shown.hasPrefix("-.") { shown = "-0" + shown.dropFirst() }
        guard let number = Double(shown.replacing(".e", with: ".0e").replacing(".E", with: ".0E")) else { return nil }
        self = number
    }

    /// Whether the digits of a JSON number are those of the double, so that nothing is lost.
    fileprivate func isSame(as text: UnsafeRawBufferPointer) -> Bool {
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
            guard (0x30...0x39).contains(byte) else { continue }
            digits.append(byte)
            if isFraction { exponent -= 1 }
        }
        while digits.last == 0x30 {
            digits.removeLast()
            exponent += 1
        }
        digits = Array(digits.drop { $0 == 0x30 })
        if digits.isEmpty { exponent = 0 }
    }
}
