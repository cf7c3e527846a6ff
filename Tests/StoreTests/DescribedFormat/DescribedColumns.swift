/// The forms of columns, and which of them occurred.
struct DescribedColumns {
    private(set) var met: Set<String> = []

    mutating func note(_ form: String) { met.insert(form) }

    mutating func numbers(_ count: Int, _ input: inout DescribedBytes) throws -> [Int64] {
        let form = try input.byte()
        let first = try input.signed()
        var numbers = [first]
        switch form {
        case 0:
            note("steps")
            let step = try input.signed()
            while numbers.count < count { numbers.append(numbers[numbers.count - 1] &+ step) }
        case 1:
            note("differences")
            while numbers.count < count { numbers.append(numbers[numbers.count - 1] &+ (try input.signed())) }
        case 2:
            note("offsets")
            let width = try input.byte()
            numbers = try (0..<count).map { _ in first &+ Int64(bitPattern: try input.littleEndian(width)) }
        default: throw FormatError("numbers of the form \(form)")
        }
        return numbers
    }

    mutating func values(_ count: Int, _ input: inout DescribedBytes) throws -> [[UInt8]] {
        switch try input.byte() {
        case 0:
            note("constant")
            return Array(repeating: try input.rest(), count: count)
        case 1:
            note("dictionary")
            let distinct = try plain(try input.byte() + 1, &input)
            return try (0..<count).map { _ in distinct[try input.byte()] }
        case 2:
            note("integers")
            return try numbers(count, &input).map { Array("\($0)".utf8) }
        case 3:
            note("plain")
            return try plain(count, &input)
        case 4:
            note("wide dictionary")
            let distinct = try plain(try input.count(), &input)
            return try (0..<count).map { _ in distinct[Int(try input.littleEndian(2))] }
        case let form: throw FormatError("values of the form \(form)")
        }
    }

    private mutating func plain(_ count: Int, _ input: inout DescribedBytes) throws -> [[UInt8]] {
        try numbers(count, &input).map { try input.take(Int($0)) }
    }

    /// - Returns: The rows.
    mutating func table(columns count: Int, _ input: inout DescribedBytes) throws -> [[String?]] {
        let rows = try input.count()
        var columns: [[String?]] = []
        for _ in 0..<count {
            var column = DescribedBytes(try input.take(try input.count()))
            columns.append(
                try values(rows, &column).map { $0 == [0xFF] ? nil : String(decoding: $0, as: UTF8.self) })
            guard column.isAtEnd else { throw FormatError("a column of a table has more") }
        }
        return (0..<rows).map { row in columns.map { $0[row] } }
    }
}
