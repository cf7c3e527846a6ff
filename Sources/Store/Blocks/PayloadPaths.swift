/// Where in objects the values of payloads are: the keys that lead to them, in the text that they stand for. A tree, whose
/// root is the payload.
struct PayloadPaths {
    /// Names are made of all keys that lead to a value: longer ones are no parameters.
    static let longestName = 256
    static let root = 0

    /// Nodes by their parent and the key below it. The first is the root, without a key.
    private var nodes = ByteTable()
    /// How many bytes the name of each has.
    private var nameBytes = [0]
    private var scratch: [UInt8] = []

    init() { _ = withUnsafeBytes(of: UInt32.max) { nodes.number(of: $0, atMost: 1) } }

    var count: Int { nodes.count }

    /// - Parameter most: how many nodes there may be.
    /// - Returns: `nil` for one more, and where its name would be too long.
    mutating func node(below parent: Int, key: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
        let length = nameBytes[parent] + (parent == Self.root ? 0 : 1) + key.count
        guard length <= Self.longestName else { return nil }
        scratch.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: UInt32(parent).littleEndian) { scratch.append(contentsOf: $0) }
        scratch.append(contentsOf: key)
        let number = scratch.withUnsafeBytes { nodes.number(of: $0, atMost: most) }
        if number == nameBytes.count { nameBytes.append(length) }
        return number
    }

    /// Takes those back that came since there were so many.
    mutating func removeAll(since count: Int) {
        nodes.removeLast(self.count - count)
        nameBytes.removeLast(nameBytes.count - count)
    }

    /// - Parameter node: not the root.
    func parent(of node: Int) -> Int {
        nodes[node].prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func key(of node: Int) -> ArraySlice<UInt8> { nodes[node].dropFirst(4) }

    /// The keys that lead to it, with dots between.
    func name(of node: Int) -> [UInt8] {
        var keys: [ArraySlice<UInt8>] = []
        var node = node
        while node != Self.root {
            keys.append(key(of: node))
            node = parent(of: node)
        }
        return Array(keys.reversed().joined(separator: [UInt8(ascii: ".")]))
    }

    /// Those that have one of the names: more than one where keys have dots in them.
    func nodes(of names: Set<[UInt8]>) -> [Int] {
        let lengths = Set(names.map(\.count))
        return (1..<max(count, 1)).filter { lengths.contains(nameBytes[$0]) && names.contains(name(of: $0)) }
    }

    // MARK: in blocks

    func append(to output: inout ByteWriter) {
        output.append(number: count - 1)
        for node in 1..<max(count, 1) {
            output.append(number: parent(of: node))
            output.append(number: key(of: node).count)
            output.append(key(of: node))
        }
    }

    /// - Parameter most: how many there may be.
    init(_ input: inout ByteReader, atMost most: Int) throws(BlockDamage) {
        self.init()
        for node in 1..<(try input.count(atMost: most - 1)) + 1 {
            let parent = try input.count(atMost: node - 1)
            let key = try input.take(try input.count(atMost: input.left))
            guard self.node(below: parent, key: key, atMost: most) == node else {
                throw BlockDamage("a path is there twice, or too long")
            }
        }
    }
}
