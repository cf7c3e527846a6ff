internal import Glibc
internal import JSON

extension UnsafeRawBufferPointer {
    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let base = baseAddress, let otherBase = other.baseAddress else { return true }
        return memcmp(base, otherBase, count) == 0
    }

    /// Of what is between the quotes of a JSON string: the text that it stands for.
    @inline(__always)
    func withUnescaped<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        contains(UInt8(ascii: "\\")) ? JSONScanner.unescape(self).withUnsafeBytes(body) : body(self)
    }
}
