internal import Model

/// What a block says of itself to those who look for something: hashes of what it has.
enum BlockFilters {
    /// What a name is the name of.
    enum Name: UInt64 {
        case subsystem = 1
        case category
        /// `CATEGORY/NAME` of the event's key.
        case event
        case boot
        /// `DICTIONARY/VERSION` that the event was resolved with.
        case version
    }

    static func hash(_ name: Name, _ text: String) -> UInt64 {
        var text = text
        return ByteHash.mixed(text.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0)) } ^ name.rawValue)
    }

    /// - Parameter name: of a parameter, with dots before the names of what is nested.
    static func hash(name: [UInt8]) -> UInt64 { name.withUnsafeBytes { ByteHash.hash($0) } }

    /// - Parameters:
    ///   - parameter: the hash of its name.
    ///   - value: the text of a string, or else JSON text.
    @inline(__always)
    static func hash(parameter: UInt64, value: UnsafeRawBufferPointer) -> UInt64 {
        ByteHash.mixed(ByteHash.hash(value) ^ parameter)
    }
}
