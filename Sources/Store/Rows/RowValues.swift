internal import Model

/// The values that the events of a block have in a column. They are in memory that stays where it is, since a value is asked for
/// hundreds of thousands of times a second, and SQLite takes pointers.
final class RowValues {
    private enum Form {
        /// Negative ones are none.
        case integers
        /// In microseconds since 1970; -1 is none.
        case times
        case cells
        /// Each event has the place of its own among the integers.
        case places
    }

    private let form: Form
    /// By event, unless they have places.
    private var integers: UnsafeMutableBufferPointer<Int64> = .init(start: nil, count: 0)
    /// The number of its cell, or the place of its integer, for each event; -1 is none.
    private var numbers: UnsafeMutableBufferPointer<Int32> = .init(start: nil, count: 0)
    private var cells: UnsafeMutableBufferPointer<RowValue> = .init(start: nil, count: 0)
    /// The texts of cells, or the text of the last time.
    private let bytes: UnsafeMutableRawBufferPointer
    /// The last time, and its second. None has this time.
    private var (last, second) = (Int64(-1), UInt64.max)

    private init(_ form: Form, bytes count: Int) {
        self.form = form
        bytes = .allocate(byteCount: max(1, count), alignment: 1)
    }

    convenience init(integers: PackedIntegers) {
        self.init(.integers, bytes: 0)
        self.integers = Self.copy(integers.unpacked)
    }

    convenience init(times: PackedIntegers) {
        self.init(.times, bytes: UTCText.count)
        integers = Self.copy(times.unpacked)
    }

    /// - Parameter places: of their own among the integers, for each event.
    convenience init(integers: PackedIntegers, places: [Int32]) {
        self.init(.places, bytes: 0)
        self.integers = Self.copy(integers.unpacked)
        numbers = Self.copy(places)
    }

    /// - Parameter numbers: of cells, for each event.
    convenience init(_ table: CellTable, _ numbers: [Int32]) {
        self.init(.cells, bytes: table.bytes.count)
        bytes.copyBytes(from: table.bytes)
        cells = Self.copy(
            table.cells.lazy.map { [bytes] cell in
                switch cell {
                case .null: .null
                case .integer(let number): .integer(number)
                case .real(let number): .real(number)
                case .text(let range): .text(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range]))
                }
            })
        self.numbers = Self.copy(numbers)
    }

    convenience init(texts column: KeyColumn) {
        self.init(.cells, bytes: column.texts.bytes.count)
        bytes.copyBytes(from: column.texts.bytes)
        var start = 0
        cells = Self.copy(
            column.texts.ends.map { end in
                defer { start = end }
                return .text(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[start..<end]))
            })
        numbers = Self.copy(column.numbers)
    }

    /// The texts as decimal numbers.
    convenience init(numbers column: KeyColumn) {
        self.init(.cells, bytes: 0)
        cells = Self.copy(
            column.texts.ends.indices.map { number in
                column.texts.withRun(number) { Int64(exactText: $0).map { .integer($0) } ?? .null }
            })
        numbers = Self.copy(column.numbers)
    }

    @inline(__always)
    private static func copy<Element>(
        _ elements: some RandomAccessCollection<Element>
    ) -> UnsafeMutableBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = copy.initialize(from: elements)
        return copy
    }

    deinit {
        integers.deallocate()
        numbers.deallocate()
        cells.deallocate()
        bytes.deallocate()
    }

    /// Numbers the values by which events are grouped, so that what SQLite takes for equal has the same number.
    func groups(of events: [Int], _ known: inout GroupNumbers) -> [Int32] {
        switch form {
        case .cells:
            // Each cell is looked up once.
            var ofCell = [Int32](repeating: -1, count: cells.count)
            return events.map { event in
                let cell = numbers[event]
                guard cell >= 0 else { return known.number(of: .null) }
                if ofCell[Int(cell)] < 0 { ofCell[Int(cell)] = known.number(of: cells[Int(cell)]) }
                return ofCell[Int(cell)]
            }
        case .integers: return groups(of: events, &known) { $0 }
        case .places:
            return events.map { event in
                let place = numbers[event]
                return known.number(of: place < 0 ? .null : .integer(integers[Int(place)]))
            }
        // Times of damaged entries may have the text of others.
        case .times: return groups(of: events, &known, place: SQLTime.place)
        }
    }

    private func groups(
        of events: [Int], _ known: inout GroupNumbers, place: (Int64) -> Int64
    ) -> [Int32] {
        events.map { event in
            let place = place(integers[event])
            return known.number(of: place < 0 ? .null : .integer(place))
        }
    }

    /// Returns the value of an event. A text is valid as long as this object; a time until the next value is asked for.
    @inline(__always)
    subscript(event: Int) -> RowValue {
        switch form {
        case .cells:
            let number = numbers[event]
            return number < 0 ? .null : cells[Int(number)]
        case .integers:
            let number = integers[event]
            return number < 0 ? .null : .integer(number)
        case .times: return time(integers[event])
        case .places:
            let place = numbers[event]
            return place < 0 ? .null : .integer(integers[Int(place)])
        }
    }

    private func time(_ microseconds: Int64) -> RowValue {
        guard microseconds != -1 else { return .null }
        // A statement may ask for it several times in a row.
        if microseconds != last {
            let shown = SQLTime.shown(microseconds)
            // Many events are in one second.
            if shown / 1_000_000 == second {
                UTCText.writeFraction(shown, to: bytes)
            } else {
                SQLTime.write(shown, to: bytes)
            }
            (last, second) = (microseconds, shown / 1_000_000)
        }
        return .text(UnsafeRawBufferPointer(bytes))
    }
}

/// Numbers of values that SQLite groups by.
struct GroupNumbers {
    private var (integers, texts, reals) = (IntegerTable(), ByteTable(), [Double: Int]())
    /// The numbers of the values of each kind, in the order in which their tables have them.
    private var (ofNull, ofIntegers, ofTexts, ofReals) = ([Int32](), [Int32](), [Int32](), [Int32]())
    /// The value of each number. Their texts are valid as long as the columns that they are from.
    private(set) var values: [RowValue] = []

    mutating func number(of value: RowValue) -> Int32 {
        switch value {
        case .null: return Self.number(of: value, at: 0, &ofNull, &values)
        case .integer(let number):
            return Self.number(of: value, at: integers.number(of: Int(number)), &ofIntegers, &values)
        case .real(let number):
            // 42.0 and 42 are one group.
            if let integer = Int(exactly: number) {
                return Self.number(of: value, at: integers.number(of: integer), &ofIntegers, &values)
            }
            let place = reals[number] ?? reals.count
            reals[number] = place
            return Self.number(of: value, at: place, &ofReals, &values)
        case .text(let text):
            return Self.number(of: value, at: Int(texts.number(of: text)), &ofTexts, &values)
        }
    }

    /// - Parameters:
    ///   - place: of the value among those of its kind.
    ///   - numbers: of these.
    private static func number(
        of value: RowValue, at place: Int, _ numbers: inout [Int32], _ values: inout [RowValue]
    ) -> Int32 {
        if place == numbers.count {
            numbers.append(Int32(values.count))
            values.append(value)
        }
        return numbers[place]
    }
}

extension RowValue {
    /// Whether it comes before another one in the order of SQLite: NULL, numbers, texts by their bytes.
    /// - Source: https://www.sqlite.org/datatype3.html#sort_order
    func isBefore(_ other: RowValue) -> Bool {
        switch (self, other) {
        case (.null, .null): false
        case (.null, _): true
        case (_, .null): false
        case (.integer(let one), .integer(let other)): one < other
        case (.real(let one), .real(let other)): one < other
        case (.integer(let one), .real(let other)): Self.isLess(one, than: other)
        case (.real(let one), .integer(let other)): !Self.isLess(other, than: one) && Int64(exactly: one) != other
        case (.text(let one), .text(let other)): one.lexicographicallyPrecedes(other)
        case (.text, _): false
        case (_, .text): true
        }
    }

    /// Exactly, where the integer is none of those that a double can be.
    private static func isLess(_ integer: Int64, than real: Double) -> Bool {
        if real >= 0x1p63 { return true }
        if real < -0x1p63 { return false }
        let floor = Int64(real.rounded(.down))
        return integer < floor || (integer == floor && real > real.rounded(.down))
    }
}

extension RowColumn {
    /// Whether one of its values comes before another one in the order of SQLite: levels by how severe they are, others as values
    /// do by themselves.
    func isBefore(_ one: RowValue, _ other: RowValue) -> Bool {
        guard isLevel, let first = one.level, let second = other.level else { return one.isBefore(other) }
        return first.rawValue > second.rawValue
    }

    /// Whether its values are names of levels.
    package var isLevel: Bool {
        switch self {
        case .level, .journalLevel, .programLevel: true
        default: false
        }
    }
}

extension RowValue {
    fileprivate var level: Level? {
        if case .text(let name) = self { Level(inSQL: name) } else { nil }
    }
}
