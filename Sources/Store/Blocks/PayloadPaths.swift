/// The paths of values in payloads: the keys that lead to a value, unescaped. They are a tree whose root is the
/// payload.
struct PayloadPaths {
    /// The longest name of a parameter. A name consists of all keys that lead to a value; longer ones are not
    /// parameters.
    static let longestName = 256
    static let root = 0

    /// The nodes, each as its parent and its key. The first is the root, which has no key.
    private var nodes = ByteTable()
    /// The length of each node's name.
    private var nameBytes = [0]
    private var scratch: [UInt8] = []

    init() { _ = withUnsafeBytes(of: UInt32.max) { nodes.number(of: $0, atMost: 1) } }

    var count: Int { nodes.count }

    /// The nodes, except for the root.
    var all: Range<Int> { 1..<count }

    /// Returns the node of a key, adding it where it is new.
    /// - Parameter most: the maximum number of nodes.
    /// - Returns: `nil` when the node is new and there is no room for it, or when its name is too long.
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

    /// Removes the nodes that were added since there were `count`.
    mutating func removeAll(since count: Int) {
        nodes.removeLast(self.count - count)
        nameBytes.removeLast(nameBytes.count - count)
    }

    /// - Parameter node: not the root.
    func parent(of node: Int) -> Int {
        nodes[node].prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    func key(of node: Int) -> ArraySlice<UInt8> { nodes[node].dropFirst(4) }

    /// Returns the keys that lead to the node, separated by dots.
    func name(of node: Int) -> [UInt8] {
        var keys: [ArraySlice<UInt8>] = []
        var node = node
        while node != Self.root {
            keys.append(key(of: node))
            node = parent(of: node)
        }
        return Array(keys.reversed().joined(separator: [UInt8(ascii: ".")]))
    }

    /// Returns the nodes that have one of the names. A name can have several nodes, where keys contain dots.
    func nodes(of names: Set<[UInt8]>) -> [Int] {
        let lengths = Set(names.map(\.count))
        return all.filter { lengths.contains(nameBytes[$0]) && names.contains(name(of: $0)) }
    }

    // MARK: in blocks

    func append(to output: inout ByteWriter) {
        output.append(number: count - 1)
        for node in all {
            output.append(number: parent(of: node))
            output.append(number: key(of: node).count)
            output.append(key(of: node))
        }
    }

    /// - Parameter most: the maximum number of paths.
    init(_ input: inout ByteReader, atMost most: Int) throws(BlockDamage) {
        self.init()
        for node in 1..<(try input.count(atMost: most - 1)) + 1 {
            let parent = try input.count(atMost: node - 1)
            let key = try input.take(try input.count(atMost: input.left))
            guard self.node(below: parent, key: key, atMost: most) == node else {
                throw BlockDamage("a path occurs twice, or is too long")
            }
        }
    }
}
