import Glibc

/// Reads files of a few bytes, such as those of /proc.
enum SmallFile {
    /// - Returns: the first 4,096 bytes; `nil` if the file cannot be read.
    static func text(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, initialised in
            count = read(descriptor, buffer.baseAddress, buffer.count)
            initialised = max(0, count)
        }
        return count < 0 ? nil : String(decoding: bytes, as: UTF8.self)
    }
}
