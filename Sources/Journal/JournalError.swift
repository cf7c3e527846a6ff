import Glibc

/// A call of the kernel that failed, or what could not be read.
package struct JournalError: Error, Hashable, CustomStringConvertible {
    /// What was tried, with what it was tried on: `open /var/log/journal`.
    package var call: String
    /// A positive errno value.
    package var errno: Int32

    package init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    package var description: String { "\(call): \(errorText(errno))" }
}

/// What the kernel means by a positive errno value, in words.
func errorText(_ errno: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(errno, &buffer, buffer.count) == 0 else { return "error \(errno)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
