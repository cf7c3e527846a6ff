internal import Glibc

/// Whether bytes may be kept as SQLite text: valid UTF-8 without a NUL, at which SQL functions would stop.
func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
    guard memchr(base, 0, bytes.count) == nil else { return false }
    return bytes.withMemoryRebound(to: UInt8.self) { (try? UTF8Span(validating: $0.span)) != nil }
}
