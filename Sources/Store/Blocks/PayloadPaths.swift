internal import JSON

/// Where in objects the values of payloads are: the keys that lead to them, as they are written. A tree, whose root is the
/// payload.
struct PayloadPaths {
    /// Nodes by their parent and the key below it. The first is the root, without a key.
    private var nodes = ByteTable()
    private var scratch: [UInt8] = []

    static let root = 0

    init() { clear() }

    private mutating func clear() {
        nodes.removeAll()
        _ = withUnsafeBytes(of: UInt32.max) { nodes.number(of: $0, atMost: 1) }
    }

    mutating func removeAll() { clear() }

    var count: Int { nodes.count }

    /// - Parameter most: how many nodes there may be.
    /// - Returns: `nil` for one more.
    mutating func node(below parent: Int, key: UnsafeRawBufferPointer, atMost most: Int) -> Int? {
        scratch.removeAll(keepingCapacity: true)
        withUnsafeBytes(of: UInt32(parent).littleEndian) { scratch.append(contentsOf: $0) }
        scratch.append(contentsOf: key)
        return scratch.withUnsafeBytes { nodes.number(of: $0, atMost: most) }
    }

    /// - Parameter node: not the root.
    func parent(of node: Int) -> Int {
        nodes[node].prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// As it is written: between the quotes.
    func key(of node: Int) -> ArraySlice<UInt8> { nodes[node].dropFirst(4) }

    /// The names that lead to it, with dots between, in the text that they stand for.
    func name(of node: Int) -> [UInt8] {
        let written = key(of: node)
        let key =
            written.contains(UInt8(ascii: "\\")) ? written.withUnsafeBytes { JSONScanner.unescape($0) } : Array(written)
        let parent = parent(of: node)
        return parent == Self.root ? key : name(of: parent) + [UInt8(ascii: ".")] + key
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
        for node in 1..<(try input.count(atMost: most)) + 1 {
            let parent = try input.count(atMost: node - 1)
            let key = try input.take(try input.count(atMost: input.left))
            guard self.node(below: parent, key: key, atMost: most + 1) == node else {
                throw BlockDamage("a path is there twice")
            }
        }
    }
}
