/// Members whose keys need no escaping.
extension JSONWriter {
    package mutating func member(_ key: StaticString, _ value: String) {
        self.key(key)
        string(value)
    }

    package mutating func member(_ key: StaticString, _ value: some BinaryInteger) {
        self.key(key)
        integer(value)
    }

    package mutating func member(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    package mutating func member(_ key: StaticString, _ value: LargeValue) {
        self.key(key)
        self.value(value)
    }
}
