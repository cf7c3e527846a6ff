internal import Model

/// A table within a block, as columns of texts, which may be missing. Queries compare bytes: most blocks have many
/// rows, and few of these are turned into objects.
struct BlockTexts: Sendable {
    /// The byte that represents a missing text. It does not occur in UTF-8.
    fileprivate static let missing: UInt8 = 0xFF

    let count: Int
    private let columns: [PackedValues]

    /// - Parameter columns: the number of columns.
    init(_ input: inout ByteReader, columns count: Int) throws(BlockDamage) {
        let rows = try input.count(atMost: BlockPacker.capacity)
        var columns: [PackedValues] = []
        for _ in 0..<count {
            var part = try input.reader(try input.count(atMost: input.left))
            columns.append(try PackedValues(rows, from: &part))
            try part.end()
        }
        try input.end()
        self.count = rows
        self.columns = columns
    }

    // MARK: reading

    /// - Parameter body: gets `nil` where the text is missing.
    @inline(__always)
    func withText<Result>(_ column: Int, _ row: Int, _ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows
        -> Result
    {
        try columns[column].withValue(row) { try body(Self.isMissing($0) ? nil : $0) }
    }

    func text(_ column: Int, _ row: Int) -> String? {
        withText(column, row) { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    /// Returns the result of `body` for a column's text in each row. `body` is called only once for a text that
    /// several rows share.
    /// - Parameter body: gets `nil` where the text is missing.
    func map<Value>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> Value) rethrows -> [Value] {
        let values = columns[column]
        let distinct = try values.mapDistinct { try body(Self.isMissing($0) ? nil : $0) }
        return (0..<count).map { distinct[values.distinctNumber($0)] }
    }

    fileprivate var columnCount: Int { columns.count }
    fileprivate func distinctNumber(_ column: Int, _ row: Int) -> Int { columns[column].distinctNumber(row) }
    /// Returns nothing for a column whose texts were not compared.
    fileprivate func distinctCount(_ column: Int) -> Int? {
        columns[column].numbersArePlaces ? nil : columns[column].distinctCount
    }

    private static func isMissing(_ text: UnsafeRawBufferPointer) -> Bool { text.count == 1 && text[0] == missing }

    /// The approximate number of bytes in memory.
    var memory: Int { columns.reduce(64) { $0 + $1.memory } }
}

/// The texts of such a table as strings. A string that several rows share is created once.
struct SharedTexts {
    let table: BlockTexts
    /// By column and distinct number; `.some(nil)` is a missing text.
    private var known: [[String??]]

    init(_ table: BlockTexts) {
        self.table = table
        known = Array(repeating: [], count: table.columnCount)
    }

    mutating func text(_ column: Int, _ row: Int) -> String? {
        guard let count = table.distinctCount(column) else { return table.text(column, row) }
        let number = table.distinctNumber(column, row)
        if known[column].isEmpty { known[column] = Array(repeating: nil, count: count) }
        if let text = known[column][number] { return text }
        let text = table.text(column, row)
        known[column][number] = .some(text)
        return text
    }
}

/// Collects the rows of a `BlockTexts`.
struct BlockTextWriter<Row> {
    /// Appends a row's text, or marks it as missing.
    typealias Column = @Sendable (Row, inout ValueColumn) -> Void

    private let columns: [Column]
    private var values: [ValueColumn]
    private var count = 0

    init(_ columns: [Column]) {
        self.columns = columns
        values = Array(repeating: ValueColumn(), count: columns.count)
    }

    mutating func append(_ row: Row) {
        for place in columns.indices { columns[place](row, &values[place]) }
        count += 1
    }

    func append(to output: inout ByteWriter) {
        output.append(number: count)
        for column in values {
            var part = ByteWriter()
            column.append(to: &part)
            output.append(number: part.bytes.count)
            output.append(part.bytes)
        }
    }
}

extension BlockTextWriter: Sendable where Row: Sendable {}

extension ValueColumn {
    /// - Parameter text: `nil` where it is missing.
    mutating func append(_ text: String?) {
        if let text {
            append(text)
        } else {
            withUnsafeBytes(of: BlockTexts.missing) { append($0) }
        }
    }

    mutating func append(_ id: ID128) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ID128.digits) { digits in
            id.write(to: digits)
            append(UnsafeRawBufferPointer(digits))
        }
    }
}
