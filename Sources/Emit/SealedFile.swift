import Glibc
import Model

/// A file in memory that nobody can change any more, which journald maps without copying.
/// - Source: memfd_create(2); fcntl(2), "File Sealing"
struct SealedFile: ~Copyable {
    let descriptor: Int32

    /// - Throws: `EmitError.system`, for example when memory is short.
    static func holding(_ bytes: [UInt8]) throws(EmitError) -> SealedFile {
        let file = SealedFile(descriptor: makeMemoryFile())
        guard file.descriptor >= 0 else { throw failure("memfd_create") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(file.descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw failure("write") }
            rest = rest.dropFirst(count)
        }
        guard fcntl(file.descriptor, addSeals, allSeals) == 0 else { throw failure("fcntl F_ADD_SEALS") }
        return file
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The Glibc module does not show memfd_create(2) and what belongs to it, as they are GNU extensions.
    private static func makeMemoryFile() -> Int32 {
        typealias Function = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        guard let symbol = dlsym(nil, "memfd_create") else {
            errno = ENOSYS
            return -1
        }
        return unsafeBitCast(symbol, to: Function.self)("journal-entry", closeOnExec | allowSealing)
    }

    private static let closeOnExec: UInt32 = 1
    private static let allowSealing: UInt32 = 2
    private static let addSeals: Int32 = 1033
    /// Against sealing, shrinking, growing and writing.
    private static let allSeals: Int32 = 0xF

    private static func failure(_ call: String) -> EmitError {
        .system(call: call, path: "for a large entry", errno: errno)
    }
}
