/// Runs a program over bytes. It reads each byte once, so that neither the pattern nor the payload can make it slow.
/// Swift's `Regex` tries alternatives one after the other, which takes exponential time with some patterns.
struct PatternMachine {
    private static let bytesPerLook = 4096

    private let program: PatternProgram
    private var current: ThreadSet
    private var following: ThreadSet
    private var stack: [Int] = []

    init(_ program: PatternProgram) {
        self.program = program
        current = ThreadSet(count: program.instructions.count)
        following = current
    }

    /// Returns whether there is a match anywhere in the text. A byte that is not part of valid UTF-8 counts as
    /// U+FFFD.
    /// - Parameter isCancelled: is called at intervals. The result is `false` once it returns `true`.
    mutating func finds(in bytes: UnsafeRawBufferPointer, unless isCancelled: () -> Bool) -> Bool {
        current.removeAll()
        var at = 0
        var previous: UInt32?
        var nextLook = Self.bytesPerLook
        while true {
            if at >= nextLook {
                if isCancelled() { return false }
                nextLook = at + Self.bytesPerLook
            }
            if current.isEmpty, let first = program.firstBytes {
                let start = at
                while at < bytes.count, !first[Int(bytes[at])] { at += 1 }
                if at > start { previous = UInt32(bytes[at - 1]) }
            }
            let (scalar, length) = Self.scalar(in: bytes, at: at)
            if Self.follow(0, program, from: previous, to: scalar, into: &current, &stack) { return true }
            guard let scalar else { return false }
            let next = Self.scalar(in: bytes, at: at + length).scalar
            following.removeAll()
            for index in current.members {
                guard case .take(let set) = program.instructions[index], program.takes(scalar, set) else { continue }
                if Self.follow(index + 1, program, from: scalar, to: next, into: &following, &stack) { return true }
            }
            swap(&current, &following)
            previous = scalar
            at += length
        }
    }

    /// Adds the instructions that can be reached from one without consuming a character.
    /// - Returns: whether the end of the program is reached.
    private static func follow(
        _ start: Int, _ program: PatternProgram, from previous: UInt32?, to next: UInt32?, into set: inout ThreadSet,
        _ stack: inout [Int]
    ) -> Bool {
        stack.append(start)
        while let index = stack.popLast() {
            guard set.insert(index) else { continue }
            switch program.instructions[index] {
            case .accept:
                stack.removeAll(keepingCapacity: true)
                return true
            case .take: break
            case .jump(let target): stack.append(target)
            case .split(let one, let other):
                stack.append(other)
                stack.append(one)
            case .assert(let assertion):
                if assertion.holds(between: previous, and: next) { stack.append(index + 1) }
            }
        }
        return false
    }

    private static func scalar(in bytes: UnsafeRawBufferPointer, at: Int) -> (scalar: UInt32?, length: Int) {
        guard at < bytes.count else { return (nil, 0) }
        let lead = bytes[at]
        if lead < 0x80 { return (UInt32(lead), 1) }
        let length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2
        guard lead >= 0xC2, lead < 0xF5, at + length <= bytes.count else { return (0xFFFD, 1) }
        var scalar = UInt32(lead) & (0xFF >> UInt32(length + 1))
        for index in at + 1..<at + length {
            guard bytes[index] & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            scalar = scalar << 6 | UInt32(bytes[index] & 0x3F)
        }
        return (scalar, length)
    }
}

/// An unordered set of instructions that is cleared in constant time.
private struct ThreadSet {
    private(set) var members: [Int] = []
    private var places: [Int]

    init(count: Int) {
        places = [Int](repeating: 0, count: count)
        members.reserveCapacity(count)
    }

    var isEmpty: Bool { members.isEmpty }

    mutating func removeAll() { members.removeAll(keepingCapacity: true) }

    /// - Returns: whether it was new.
    mutating func insert(_ index: Int) -> Bool {
        let place = places[index]
        guard place >= members.count || members[place] != index else { return false }
        places[index] = members.count
        members.append(index)
        return true
    }
}
