/// Bytes of a block that are not as they were written.
struct BlockDamage: Error, Hashable, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
