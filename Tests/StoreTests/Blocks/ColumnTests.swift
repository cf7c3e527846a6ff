import TestSupport
import Testing

@testable import Store

@Suite(.namesSeed) struct ColumnTests {
    static let hostile: [[Int64]] = [
        [], [0], [.min], [.max], [.min, .max], [.max, .min, .max], [0, 0, 0], [5, 5, 5, 5, 6], [1, 2, 3, 4],
        [10, 7, 4, 1, -2], [.min, .min + 1, .min + 2], [1 << 40, 1 << 41, 3], [-1, 0, 1, -1],
        (0..<5000).map { Int64($0 % 2) * .max }, (0..<300).map { Int64($0) &* 0x1234_5678_9ABC_DEF1 },
    ]

    @Test(arguments: hostile)
    func `any numbers are returned unchanged`(_ numbers: [Int64]) throws {
        #expect(try Self.roundTrip(numbers) == numbers)
    }

    @Test func `random numbers of every width are returned unchanged`() throws {
        for seed in FuzzBudget.seeds(300) {
            var random = SeededGenerator(seed: seed)
            let width = Int.random(in: 0...63, using: &random)
            let base = Int64.random(in: .min ... .max, using: &random)
            let numbers = (0..<Int.random(in: 1...100, using: &random)).map { _ in
                base &+ Int64(bitPattern: UInt64.random(in: 0...(UInt64.max >> UInt64(63 - width)), using: &random))
            }
            #expect(try Self.roundTrip(numbers) == numbers)
        }
    }

    @Test func `differences of every length are returned unchanged, in any order`() throws {
        for seed in FuzzBudget.seeds(100) {
            var random = SeededGenerator(seed: seed)
            let longest = Int.random(in: 0...63, using: &random)
            var (number, numbers) = (Int64.random(in: .min ... .max, using: &random), [Int64]())
            for _ in 0..<Int.random(in: 1...50, using: &random) {
                let size = Int64(1) << Int64(Int.random(in: 0...min(longest, 62), using: &random))
                let step = Int64.random(in: -size...size, using: &random)
                for _ in 0..<(Bool.random(using: &random) ? 1 : 20) {
                    number &+= step
                    numbers.append(number)
                }
            }
            #expect(try Self.roundTrip(numbers) == numbers)
            #expect(try Self.differences(numbers) == numbers)
        }
    }

    @Test func `runs of equal numbers end where another one comes`() throws {
        for seed in FuzzBudget.seeds(300) {
            var random = SeededGenerator(seed: seed)
            let base = [0, 250, -300, .max - 1][Int.random(in: 0..<4, using: &random)] as Int64
            let (kinds, longest) = (Int64.random(in: 0...3, using: &random), Int.random(in: 1...40, using: &random))
            var numbers: [Int64] = []
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let step = Int64.random(in: 0...kinds, using: &random) &* (Bool.random(using: &random) ? 1 : 70_000)
                numbers += repeatElement(base &+ step, count: Int.random(in: 1...longest, using: &random))
            }
            let packed = try Self.packed(numbers)
            for start in 0...numbers.count {
                for number in Set(numbers.suffix(3) + [numbers[max(0, start - 1)], base &- 1, base &+ 256]) {
                    let end = numbers[start...].firstIndex { $0 != number } ?? numbers.count
                    #expect(packed.endOfRun(of: number, from: start) == end)
                }
            }
        }
    }

    @Test func `where numbers have eight bytes, each can be read by itself`() throws {
        var found = 0
        for seed in FuzzBudget.seeds(300) {
            var random = SeededGenerator(seed: seed)
            let (count, width) = (Int.random(in: 1...400, using: &random), Int.random(in: 0...63, using: &random))
            let isRising = seed % 3 == 0
            var number = Int64.random(in: .min ... .max, using: &random)
            let numbers = (0..<count).map { _ in
                let next = Int64(bitPattern: UInt64.random(in: 0...(UInt64.max >> UInt64(63 - width)), using: &random))
                number = isRising ? number &+ next : next
                return number
            }
            var output = ByteWriter()
            IntegerColumn.append(numbers, to: &output)
            let index = Int.random(in: 0..<count, using: &random)
            guard let place = IntegerColumn.place(of: index, among: count, size: output.bytes.count) else { continue }
            found += 1
            let read = output.bytes[place].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            #expect(Int64(bitPattern: read) == numbers[index], "\(seed)")
        }
        #expect(found > 10)
    }

    @Test(arguments: [0, 1, 1023, 1024, 1025, 2048, 5000]) func `bytes that are not packed, and damage in them`(
        _ count: Int
    ) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        for seed in [UInt64(0), 5] {
            var stored: [UInt8] = []
            PlainPart.append(bytes, to: &stored, seed: seed)
            #expect(stored.count == count + 8 * max(1, (count + 1023) / 1024))
            #expect(try stored.withUnsafeBytes { try Array(PlainPart.checked($0, seed: seed)) } == bytes)
            for place in stride(from: 0, to: stored.count, by: 97) {
                var damaged = stored
                damaged[place] ^= 0x10
                #expect(throws: BlockDamage.self) {
                    try damaged.withUnsafeBytes { _ = try PlainPart.checked($0, seed: seed) }
                }
            }
            for length in [0, 7, stored.count - 1, stored.count - 8] where length < stored.count {
                #expect(throws: BlockDamage.self) {
                    try stored.prefix(length).withUnsafeBytes { _ = try PlainPart.checked($0, seed: seed) }
                }
            }
            guard count > 2048 else { continue }
            // Pieces have their places.
            let swapped = Array(stored[1024..<2048] + stored[..<1024] + stored[2048..<count])
            var checksums = Array(stored[count...])
            for byte in 0..<8 { checksums.swapAt(byte, 8 + byte) }
            #expect(throws: BlockDamage.self) {
                try (swapped + checksums).withUnsafeBytes { _ = try PlainPart.checked($0, seed: seed) }
            }
        }
    }

    /// Writes and reads numbers as differences, whether that is the shortest form or not.
    private static func differences(_ numbers: [Int64]) throws -> [Int64] {
        var output = ByteWriter()
        for (number, last) in zip(numbers.dropFirst(), numbers) { output.append(signed: number &- last) }
        return try output.bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            let read = try input.differences(numbers.count, from: numbers[0])
            try input.end()
            return read
        }
    }

    @Test func `a selection keeps the numbers that meet a condition, in every form`() throws {
        for numbers in Self.hostile + [Array(repeating: 7, count: 300), (0..<300).map { $0 * $0 % 256 }] {
            let packed = try Self.packed(numbers)
            for most in Set(numbers) {
                var selection = Array(stride(from: 0, to: numbers.count, by: 2))
                packed.select(&selection) { $0 <= most }
                #expect(selection == numbers.indices.filter { $0 % 2 == 0 && numbers[$0] <= most })
                for least in Set(numbers) where least < most {
                    #expect(packed.isWithin(least..<most) == numbers.allSatisfy((least..<most).contains))
                }
            }
        }
    }

    @Test func `numbers with constant steps take a few bytes, however many there are`() {
        var output = ByteWriter()
        IntegerColumn.append((0..<4096).map { 1_790_000_000_000_000 + Int64($0) * 1500 }, to: &output)
        #expect(output.bytes.count < 16)
    }

    @Test func `small numbers are written so that each can be read without the others`() {
        for (numbers, form) in [((0..<4096).map { Int64($0 % 3) }, 2), ((0..<4096).map { Int64($0 * $0) }, 1)] {
            var output = ByteWriter()
            IntegerColumn.append(numbers, to: &output)
            #expect(output.bytes.first == UInt8(form))
        }
    }

    private static func roundTrip(_ numbers: [Int64]) throws -> [Int64] {
        let result = try packed(numbers)
        return (0..<result.count).map { result[$0] }
    }

    private static func packed(_ numbers: [Int64]) throws -> PackedIntegers {
        var output = ByteWriter()
        IntegerColumn.append(numbers, to: &output)
        return try output.bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            let result = try IntegerColumn.read(numbers.count, from: &input)
            try input.end()
            return result
        }
    }

    // MARK: values

    static let values: [[String]] = [
        [], [""], ["", ""], ["a"], ["a", "a", "a"], ["a", "b", "a"], ["1", "2", "3"], ["1", "2", "x"],
        ["-0"], ["0", "-1", "00"], ["9223372036854775807", "-9223372036854775808"],
        ["9223372036854775808"], ["-9223372036854775809"], ["99999999999999999999999"], ["-"], ["+1"], ["1.0", "1"],
        ["", "5"],
        ["肉じゃが", "\u{0}", "\u{FFFD}"], (0..<257).map { "v\($0)" }, (0..<256).map { "v\($0)" },
        (0..<1000).map { String(repeating: "x", count: $0) }, (0..<4096).map { String($0 * 7) },
        (0..<300).map { $0 == 200 ? "null" : String($0) }, (0..<600).map { String($0 % 256) },
        (0..<600).map { "value \($0 % 300)" }, (0..<599).map { "value \($0 % 300)" },
        (0..<4096).map { "value \($0 * $0 % 2048)" }, (0..<4096).map { "v\($0 % 2049)" },
    ]

    @Test(arguments: values + DigitTextsTests.values)
    func `values are returned byte for byte`(_ values: [String]) throws {
        var column = ValueColumn()
        for value in values { column.append(value) }
        let packed = try Self.roundTrip(column)
        #expect(packed.count == values.count)
        #expect(Self.texts(packed) == values.map { Array($0.utf8) })
        // A filter examines a distinct value once for all events that have it.
        #expect((0..<values.count).allSatisfy { packed.distinctNumber($0) < packed.distinctCount })
        #expect((0..<values.count).allSatisfy { Int(packed.distinctNumbers[$0]) == packed.distinctNumber($0) })
    }

    @Test func `each distinct value is reported, and lookups return one of them`() {
        for values in Self.values + DigitTextsTests.values {
            var column = ValueColumn()
            for value in values { column.append(value) }
            var seen: Set<[UInt8]> = []
            var output = ByteWriter()
            column.append(to: &output) { seen.insert(Array($0)) }
            #expect(seen == Set(values.map { Array($0.utf8) }))
        }
    }

    private static func roundTrip(_ column: ValueColumn) throws -> PackedValues {
        var output = ByteWriter()
        column.append(to: &output)
        return try output.bytes.withUnsafeBytes { bytes in
            var input = ByteReader(bytes)
            let result = try PackedValues(column.count, from: &input)
            try input.end()
            return result
        }
    }

    private static func texts(_ packed: PackedValues) -> [[UInt8]] {
        (0..<packed.count).map { index in
            var text: [UInt8] = []
            packed.append(index, to: &text)
            return text
        }
    }

    // MARK: damage

    @Test func `damaged columns are errors or other values, and are never read beyond their bytes`() {
        for seed in FuzzBudget.seeds(20) {
            var random = SeededGenerator(seed: seed)
            for values in Self.values + DigitTextsTests.values where !values.isEmpty {
                var column = ValueColumn()
                for value in values { column.append(value) }
                var output = ByteWriter()
                column.append(to: &output)
                for _ in 0..<10 {
                    var bytes = output.bytes
                    for _ in 0...Int.random(in: 0...2, using: &random) {
                        // What the form says is at the beginning.
                        let end = Bool.random(using: &random) ? bytes.count : min(bytes.count, 48)
                        bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
                    }
                    if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
                    bytes.withUnsafeBytes { bytes in
                        var input = ByteReader(bytes)
                        guard let packed = try? PackedValues(values.count, from: &input) else { return }
                        #expect(Self.texts(packed).count == values.count)
                        // A search finds what is there, whatever that is.
                        let wanted = Literal(packed.withDistinct(0) { Array($0.suffix(5)) })
                        #expect(wanted.isEmpty || packed.distinctNumbers(having: wanted).contains(0))
                    }
                }
            }
        }
    }

    // MARK: tables

    @Test func `removing the last entries of a table restores its earlier state`() {
        for seed in FuzzBudget.seeds(50) {
            var random = SeededGenerator(seed: seed)
            var (table, known) = (ByteTable(), [[UInt8]]())
            for _ in 0..<60 {
                let run = Array("k\(Int.random(in: 0..<80, using: &random))".utf8)
                let number = run.withUnsafeBytes { table.number(of: $0, atMost: 50) }
                if let index = known.firstIndex(of: run) {
                    #expect(number == index)
                } else if known.count < 50 {
                    #expect(number == known.count)
                    known.append(run)
                } else {
                    #expect(number == nil)
                }
                if Int.random(in: 0..<9, using: &random) == 0 {
                    let count = Int.random(in: 0...known.count, using: &random)
                    table.removeLast(count)
                    known.removeLast(count)
                }
            }
            #expect((0..<table.count).map { Array(table[$0]) } == known)
        }
    }

    // MARK: parts

    @Test func `a part is returned unchanged, and one with a flipped bit is refused`() throws {
        let frames = BlockFrames()
        var (random, met) = (SeededGenerator(seed: 2), Set<PartForm>())
        for count in [0, 1, 7, 4096, 70_000] {
            for most in [UInt8(0), 3, .max] {
                let bytes = (0..<count).map { UInt8($0 >> 9 & 0xFF) ^ UInt8.random(in: 0...most, using: &random) }
                var part: [UInt8] = [1, 2, 3]
                let form = frames.append(bytes, to: &part)
                met.insert(form)
                #expect(part.prefix(3) == [1, 2, 3])
                part.removeFirst(3)
                #expect(form == .plain || part.count * 5 < count * 4)
                #expect(form != .lz4 || part.count <= 512)
                #expect(try Self.unpacked(part, form, count: count, frames) == bytes)
                for _ in 0..<100 {
                    var damaged = part
                    damaged[Int.random(in: 0..<part.count, using: &random)] ^=
                        1 << UInt8.random(in: 0..<8, using: &random)
                    // A bit of a frame's header may have no meaning. Then the bytes must be those that were packed.
                    let result = try? Self.unpacked(damaged, form, count: count, frames)
                    #expect(result == nil || form == .zstd && result == bytes)
                }
            }
        }
        #expect(met == [.plain, .zstd, .lz4])
    }

    @Test func `no memory is allocated for the size that a damaged part claims`() {
        let frames = BlockFrames()
        for step in [1, 16] {
            var part: [UInt8] = []
            let bytes = (0..<100_000).map { UInt8($0 / (100_000 / step) * 17 & 0xFF) ^ ($0 % 97 < step ? 5 : 0) }
            let form = frames.append(bytes, to: &part)
            #expect(form != .plain)
            for (damaged, count) in [
                (part, 99_999), (part, 1 << 30), (part + [0], 100_000), ([], 100), (part.dropLast(), 100_000),
            ] {
                #expect(throws: BlockDamage.self) { try Self.unpacked(damaged, form, count: count, frames) }
            }
        }
    }

    private static func unpacked(
        _ part: [UInt8], _ form: PartForm, count: Int, _ frames: BlockFrames
    ) throws -> [UInt8] {
        let output = try part.withUnsafeBytes { bytes in
            guard form != .plain else { return Array(try PlainPart.checked(bytes)) + [0, 0, 0, 0, 0, 0, 0] }
            return try frames.unpack(bytes, form, count: count)
        }
        #expect(output.suffix(HeldBytes.padding).allSatisfy { $0 == 0 })
        return output.dropLast(HeldBytes.padding)
    }

    // MARK: filters

    @Test func `a filter never denies a value that it contains, and seldom passes another one`() {
        for count in [0, 1, 10, 1000, 10_000] {
            let filter = ValueFilter(hashes: (0..<count).map { ByteHash.mixed(UInt64($0)) })
            #expect((0..<count).allSatisfy { Self.passes(UInt64($0), filter) })
            let others = (0..<10_000).count { Self.passes(1 << 40 | UInt64($0), filter) }
            #expect(others < 400)
        }
        #expect(!ValueFilter.mayContain(7, UnsafeRawBufferPointer(start: nil, count: 0)))
    }

    private static func passes(_ number: UInt64, _ filter: ValueFilter) -> Bool {
        filter.bytes.withUnsafeBytes { ValueFilter.mayContain(ByteHash.mixed(number), $0) }
    }

    @Test func `hashes are part of the format`() {
        #expect(Self.hash("") == ByteHash.mixed(0))
        #expect(Self.hash("com.example.shop") == 15_533_779_182_417_879_884)
        #expect(Self.hash("user_id") == 9_337_292_235_496_131_999)
    }

    private static func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { ByteHash.hash($0) } }
}
