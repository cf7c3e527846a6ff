/// Walks once over a value, from front to back: into the objects and arrays that the caller wants to enter, and over the
/// others. It takes no memory.
///
/// The caller has to know what comes next: a key and its value in an object, a value in an array.
package struct JSONWalk {
    private var reader: JSONReader

    /// - Parameters:
    ///   - bytes: the bytes, which have to stay where they are.
    ///   - range: a value within `bytes`, which was scanned before.
    package init?(of bytes: UnsafeRawBufferPointer, in range: Range<Int>) {
        guard let base = bytes.baseAddress else { return nil }
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range is within the bytes")
        reader = JSONReader(
            bytes: base.assumingMemoryBound(to: UInt8.self), in: range, limits: JSONLimits(maximumDepth: .max))
    }

    /// The offset in the bytes.
    package var offset: Int {
        get { reader.at }
        set { reader.at = newValue }
    }

    /// Enters the object or array that begins here.
    /// - Returns: whether it has anything in it; if not, it is over.
    package mutating func enter() throws(JSONError) -> Bool { try reader.enterContainer() }

    /// Returns the key of the member that begins here, without quotes.
    package mutating func key() throws(JSONError) -> (range: Range<Int>, hasEscapes: Bool) { try reader.key() }

    /// Returns the first byte of the value that begins here.
    package mutating func firstByte() throws(JSONError) -> UInt8 { try reader.requiredToken() }

    /// Walks over the value that begins here.
    package mutating func value() throws(JSONError) -> JSONElement { try reader.value(depth: 0) }

    /// Walks to the next member or element.
    /// - Returns: whether there is one; if not, the object or array is over.
    package mutating func hasMore() throws(JSONError) -> Bool { try reader.hasMore() }
}
