import Testing
import TestSupport

@testable import Store

@Suite(.namesSeed) struct DigitTextsTests {
    /// Texts of one length that differ in digits only.
    private static let ofDigits: [[String]] = [
        uuids(300), uuids(300).map { $0.uppercased() }, uuids(400).map { String($0.prefix(18)) + "-z" },
        // Each is there twice.
        uuids(600) + uuids(600),
        (0..<300).map { "2026-11-28T23:\(10 + $0 / 60):\(10 + $0 % 60 % 50).\(100 + $0)Z" },
        (0..<300).map { "夕食 no. \(1_000_000_000_000_000_000 + $0 * $0)-\(1_999_999_999_999_999_999 + $0)" },
        (0..<300).map { String(repeating: "f", count: 250) + String(1_048_576 - 1 - $0, radix: 16) + "a" },
        (0..<256).map { String(repeating: "-", count: 9) + (String($0 + 256, radix: 16)) },
    ]
    /// Texts that miss one of the conditions.
    private static let others: [[String]] = [
        uuids(300) + ["0b6ab3c0"], uuids(299) + [String(uuids(1)[0].dropLast()) + "g"],
        uuids(150) + uuids(150).map { $0.uppercased() }, uuids(300).map { "\u{0}" + $0 },
        (0..<300).map { String(repeating: "f", count: 254) + String(100 + $0) },
    ]
    static let values = ofDigits + others + [uuids(20)]

    private static func uuids(_ count: Int) -> [String] {
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { _ in
            let digits = String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
            return "0b6ab3c0-\(digits.prefix(4))-\(digits.dropFirst(4).prefix(4))-9d57-\(digits.suffix(12))"
        }
    }

    private static func column(_ values: [String]) -> ValueColumn {
        var column = ValueColumn()
        for value in values { column.append(value) }
        return column
    }

    @Test(arguments: ofDigits.indices) func `digits are numbers`(_ index: Int) throws {
        let texts = Array(Set(Self.ofDigits[index])).sorted()
        var output = ByteWriter()
        #expect(DigitTexts.append(Self.column(texts), to: &output))
        let digits = try output.bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            let digits = try DigitTexts(texts.count, from: &input)
            try input.end()
            return digits
        }
        for (number, text) in texts.enumerated() {
            #expect(digits.withText(number) { String(decoding: $0, as: UTF8.self) } == text)
        }
        #expect(output.bytes.count < texts.count * texts[0].utf8.count * 3 / 4)
    }

    @Test(arguments: others.indices) func `other texts are not written as digits`(_ index: Int) {
        var output = ByteWriter()
        #expect(!DigitTexts.append(Self.column(Self.others[index]), to: &output))
        #expect(output.bytes.isEmpty)
    }

    @Test(arguments: [(20, ValueColumn.TextForm.plain), (30, .digits), (300, .digits)])
    func `texts are written as digits if they have 1,024 bytes`(_ count: Int, _ form: ValueColumn.TextForm) {
        var output = ByteWriter()
        Self.column(Self.uuids(count)).append(to: &output)
        // Behind the form of the values and, in a dictionary, their number.
        #expect(output.bytes[count > 256 ? 1 : 2] == form.rawValue)
    }

    @Test func `numbers that have more digits than places are damage`() throws {
        for (digits, places, numbers) in [
            (0, 3, [1000]), (0, 3, [-1]), (0, 18, [1_000_000_000_000_000_000]), (1, 2, [256]), (2, 15, [-1]),
        ]
            as [(UInt8, Int, [Int64])]
        {
            var output = ByteWriter()
            output.append(digits)
            output.append(number: places)
            output.append([UInt8](repeating: 0, count: places))
            IntegerColumn.append(numbers, to: &output)
            #expect(throws: BlockDamage.self) {
                try output.bytes.withUnsafeBytes { bytes in
                    var input = ByteReader(bytes)
                    _ = try DigitTexts(1, from: &input)
                }
            }
        }
    }

    @Test func `UUIDs are smaller than by compression, and times much smaller`() {
        var output = ByteWriter()
        Self.column(Self.ofDigits[0]).append(to: &output)
        #expect(output.bytes.count < 300 * 10 + 60)
        output = ByteWriter()
        Self.column(Self.ofDigits[4]).append(to: &output)
        #expect(output.bytes.count < 300 * 4 + 60)
    }

    @Test func `a search finds what is in the texts, in all forms of columns`() throws {
        for (index, values) in Self.values.enumerated() {
            var output = ByteWriter()
            Self.column(values).append(to: &output)
            let packed = try output.bytes.withUnsafeBytes { bytes in
                var input = ByteReader(bytes)
                return try PackedValues(values.count, from: &input)
            }
            let texts = (0..<packed.distinctCount).map { number in packed.withDistinct(number) { Array($0) } }
            for seed in FuzzBudget.seeds(10) {
                var random = SeededGenerator(seed: seed &* 31 &+ UInt64(index))
                var wanted = texts[Int.random(in: 0..<texts.count, using: &random)]
                if seed % 4 != 0 {
                    let start = Int.random(in: 0..<wanted.count, using: &random)
                    wanted = Array(wanted[start...].prefix(Int.random(in: 0...wanted.count, using: &random)))
                }
                if seed % 5 == 0 { wanted = Array(String(decoding: wanted, as: UTF8.self).uppercased().utf8) }
                if seed % 7 == 0, !wanted.isEmpty { wanted[wanted.count / 2] = UInt8(ascii: "e") }
                for ignoresCase in [false, true] {
                    let literal = Literal(wanted, ignoresCase: ignoresCase)
                    let expected = texts.indices.filter { number in texts[number].withUnsafeBytes { $0.has(literal) } }
                    #expect(packed.distinctNumbers(having: literal) == expected, "\(index) \(literal)")
                }
            }
        }
    }
}
