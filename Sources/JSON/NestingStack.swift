/// Which of the open containers are objects and which arrays: one bit each, so that neither recursion nor, up to 64 of
/// them, an allocation is needed.
struct NestingStack {
    private(set) var depth = 0
    private var bits: UInt64 = 0
    private var full: [UInt64] = []

    var innermostIsObject: Bool { bits & 1 == 1 }

    mutating func push(isObject: Bool) {
        if depth > 0, depth % 64 == 0 { full.append(bits) }
        bits = bits << 1 | (isObject ? 1 : 0)
        depth += 1
    }

    mutating func pop() {
        depth -= 1
        bits >>= 1
        if depth > 0, depth % 64 == 0, let below = full.popLast() { bits = below }
    }
}
