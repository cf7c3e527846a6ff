/// A key that takes long to hash: a table that grows, and whoever asks another one for it, need not do that again.
struct Hashed<Value: Hashable>: Hashable {
    let value: Value
    let hash: Int

    init(_ value: Value) { self.init(value, hash: value.hashValue) }

    /// - Parameter hash: what `value.hashValue` is.
    init(_ value: Value, hash: Int) {
        self.value = value
        self.hash = hash
    }

    static func == (one: Self, other: Self) -> Bool { one.hash == other.hash && one.value == other.value }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

extension Hashed: Sendable where Value: Sendable {}
