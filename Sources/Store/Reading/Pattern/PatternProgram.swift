/// A regular expression as instructions for a machine that follows all alternatives at the same time.
/// - Source: https://swtch.com/~rsc/regexp/regexp2.html
struct PatternProgram {
    enum Instruction {
        /// Consumes one scalar of the set with this number, then continues at the next instruction.
        case take(Int)
        case assert(PatternAssertion)
        /// Continues at both places.
        case split(Int, Int)
        case jump(Int)
        case accept
    }

    /// The maximum number of instructions, which bounds the number of steps for each character of a payload.
    private static let longest = 1000

    private(set) var instructions: [Instruction] = []
    private var sets: [ScalarSet] = []
    /// Whether each set contains each of the scalars below 128, since most text consists of these.
    private var ascii: [Bool] = []
    /// The bytes that a match can begin with; `nil` when the match may be empty or depends on its surroundings.
    private(set) var firstBytes: [Bool]?

    init(_ node: PatternNode) throws(PatternError) {
        try emit(node)
        try emit(.accept)
        firstBytes = findFirstBytes()
    }

    @inline(__always)
    func takes(_ scalar: UInt32, _ set: Int) -> Bool {
        scalar < 128 ? ascii[set * 128 + Int(scalar)] : sets[set].contains(scalar)
    }

    private mutating func emit(_ instruction: Instruction) throws(PatternError) {
        guard instructions.count < Self.longest else {
            throw PatternError(offset: 0, reason: "the pattern is too large")
        }
        instructions.append(instruction)
    }

    private mutating func emit(_ node: PatternNode) throws(PatternError) {
        switch node {
        case .scalar(let set):
            try emit(.take(sets.count))
            sets.append(set)
            ascii += (0..<128).map { set.contains($0) }
        case .assertion(let assertion): try emit(.assert(assertion))
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .choice(let branches): try emit(choice: branches[...])
        case .repeated(let node, let least, let most):
            for _ in 0..<least {
                let start = instructions.count
                try emit(node)
                // What has no instructions has none however often it is repeated.
                if instructions.count == start { break }
            }
            if let most { try emit(optional: node, times: most - least) } else { try emit(endless: node) }
        }
    }

    private mutating func emit(choice branches: ArraySlice<PatternNode>) throws(PatternError) {
        var ends: [Int] = []
        for branch in branches.dropLast() {
            let split = instructions.count
            try emit(.split(0, 0))
            try emit(branch)
            ends.append(instructions.count)
            try emit(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        if let last = branches.last { try emit(last) }
        for end in ends { instructions[end] = .jump(instructions.count) }
    }

    private mutating func emit(endless node: PatternNode) throws(PatternError) {
        let split = instructions.count
        try emit(.split(0, 0))
        try emit(node)
        try emit(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    private mutating func emit(optional node: PatternNode, times: Int) throws(PatternError) {
        var splits: [Int] = []
        for _ in 0..<times {
            splits.append(instructions.count)
            try emit(.split(0, 0))
            try emit(node)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    private func findFirstBytes() -> [Bool]? {
        var bytes = [Bool](repeating: false, count: 256)
        var seen = [Bool](repeating: false, count: instructions.count)
        var open = [0]
        while let index = open.popLast() {
            guard !seen[index] else { continue }
            seen[index] = true
            switch instructions[index] {
            case .accept, .assert: return nil
            case .jump(let target): open.append(target)
            case .split(let one, let other): open += [one, other]
            case .take(let set):
                for byte in 0..<128 where takes(UInt32(byte), set) { bytes[byte] = true }
                for byte in 128..<256 { bytes[byte] = true }
            }
        }
        return bytes
    }
}
