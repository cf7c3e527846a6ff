import Model

/// Collects values that events share, in the form that SQLite has for JSON.
struct CellTable {
    enum Cell {
        case null
        case integer(Int64)
        case real(Double)
        case text(Range<Int>)
    }

    /// Whether numbers that are no integers are texts, with the digits that they have.
    private let isExact: Bool
    private(set) var cells: [Cell] = []
    /// The bytes of the texts.
    private(set) var bytes: [UInt8] = []

    init(isExact: Bool = false) { self.isExact = isExact }

    /// Adds a value of a payload: strings are texts, numbers are numbers if SQLite can keep them as they are and else texts,
    /// `true` is 1 and `false` 0, and all others are JSON texts.
    /// - Returns: its number.
    mutating func add(_ value: UnsafeRawBufferPointer, isString: Bool) -> Int32 {
        add(isString ? text(value) : cell(value))
    }

    mutating func add(text value: String) -> Int32 {
        var value = value
        return value.withUTF8 { add(UnsafeRawBufferPointer($0), isString: true) }
    }

    mutating func add(_ number: Int64) -> Int32 { add(.integer(number)) }

    private mutating func add(_ cell: Cell) -> Int32 {
        cells.append(cell)
        return Int32(cells.count - 1)
    }

    private mutating func text(_ value: UnsafeRawBufferPointer) -> Cell {
        let start = bytes.count
        bytes.append(contentsOf: value)
        return .text(start..<bytes.count)
    }

    private mutating func cell(_ value: UnsafeRawBufferPointer) -> Cell {
        switch value.first {
        case UInt8(ascii: "t") where value.elementsEqual("true".utf8): return .integer(1)
        case UInt8(ascii: "f") where value.elementsEqual("false".utf8): return .integer(0)
        case UInt8(ascii: "n") where value.elementsEqual("null".utf8): return .null
        case let first? where first == UInt8(ascii: "-") || first.isDigit:
            if let integer = Int64(exactText: value) { return .integer(integer) }
            if !isExact, let real = Double(sqlNumber: value), real.isSame(as: value) { return .real(real) }
            return text(value)
        default: return text(value)
        }
    }
}
