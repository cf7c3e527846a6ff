/// The hash that a file has of each of its fields, over the bytes as they were sent, not as they are compressed. It tells
/// damage in a field; nothing else in a file has a checksum.
enum FieldHash {
    case keyed(SipHash)
    case unkeyed(JenkinsHash)

    /// - Parameter length: of the field, which Jenkins' hash begins with.
    @inline(__always)
    init(_ header: FileHeader, length: Int) {
        self =
            header.flags.contains(.keyedHash)
            ? .keyed(SipHash(key: header.fileID)) : .unkeyed(JenkinsHash(length: length))
    }

    mutating func update(_ bytes: RawSpan) {
        switch self {
        case .keyed(var hash):
            hash.update(bytes)
            self = .keyed(hash)
        case .unkeyed(var hash):
            hash.update(bytes)
            self = .unkeyed(hash)
        }
    }

    consuming func finish() -> UInt64 {
        switch self {
        case .keyed(let hash): hash.finish()
        case .unkeyed(let hash): hash.finish()
        }
    }
}
