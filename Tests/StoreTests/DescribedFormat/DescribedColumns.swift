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
            let distinct = try texts(try input.count(), &input)
            return try numbers(count, &input).map { distinct[Int($0)] }
        case 2:
            note("integers")
            return try numbers(count, &input).map { Array("\($0)".utf8) }
        case 3:
            note("plain")
            return try texts(count, &input)
        case let form: throw FormatError("values of the form \(form)")
        }
    }

    private mutating func texts(_ count: Int, _ input: inout DescribedBytes) throws -> [[UInt8]] {
        switch try input.byte() {
        case 0:
            note("plain texts")
            return try numbers(count, &input).map { try input.take(Int($0)) }
        case 1: return try digits(count, &input)
        case let form: throw FormatError("texts of the form \(form)")
        }
    }

    private mutating func digits(_ count: Int, _ input: inout DescribedBytes) throws -> [[UInt8]] {
        let (digits, base): (String, UInt64)
        switch try input.byte() {
        case 0: (digits, base) = ("decimal", 10)
        case 1: (digits, base) = ("hexadecimal", 16)
        case 2: (digits, base) = ("upper hexadecimal", 16)
        case let form: throw FormatError("digits of the form \(form)")
        }
        note(digits + " digits")
        let common = try input.take(try input.count())
        var texts = [[UInt8]](repeating: common, count: count)
        var places = common.indices.filter { common[$0] == 0 }[...]
        while !places.isEmpty {
            let places = places.popFirst(base == 10 ? 18 : 16)
            for (index, number) in try numbers(count, &input).enumerated() {
                var rest = UInt64(bitPattern: number)
                for place in places.reversed() {
                    let digit = String(rest % base, radix: Int(base), uppercase: digits.hasPrefix("upper"))
                    texts[index][place] = Array(digit.utf8)[0]
                    rest /= base
                }
            }
        }
        return texts
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

extension ArraySlice {
    fileprivate mutating func popFirst(_ count: Int) -> ArraySlice {
        defer { self = dropFirst(count) }
        return prefix(count)
    }
}
