internal import GRDB

/// The checksum of a row, as docs/store.md describes it: of its values, in the order of the columns.
struct RowChecksum {
    private(set) var value: UInt64 = 0

    mutating func add(_ number: Int64?) {
        // NULL has the checksum of -1.
        value = ByteHash.mixed(value ^ UInt64(bitPattern: number ?? -1))
    }

    mutating func add(_ bytes: UnsafeRawBufferPointer) { value = ByteHash.checksum(bytes, seed: value) }

    mutating func add(_ text: String?) {
        guard var text else { return add(nil as Int64?) }
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }
}

/// A statement that writes a row whose last column is the checksum of the others. The values are bound one after the other.
struct CheckedRow: ~Copyable {
    private let statement: BareStatement
    private var bound: Int32 = 0
    private var checksum = RowChecksum()

    /// See `BareStatement`.
    init(_ db: Database, reusing sql: String) throws { statement = try BareStatement(db, reusing: sql) }

    mutating func bind(_ number: Int64?) throws {
        checksum.add(number)
        try statement.bind(next(), number)
    }

    mutating func bind(bits number: UInt64) throws { try bind(Int64(bitPattern: number)) }

    mutating func bind(_ text: String?) throws {
        checksum.add(text)
        try statement.bind(next(), text)
    }

    mutating func bindNull() throws { try bind(nil as Int64?) }

    /// Binds the bytes without copying them. They must stay valid until the row has been written.
    mutating func bind(unowned bytes: UnsafeRawBufferPointer, asText: Bool) throws {
        checksum.add(bytes)
        try statement.bind(next(), unowned: bytes, asText: asText)
    }

    /// Binds the checksum and writes the row.
    mutating func run() throws {
        try statement.bind(next(), bits: checksum.value)
        try statement.run()
    }

    private mutating func next() -> Int32 {
        bound += 1
        return bound
    }
}
