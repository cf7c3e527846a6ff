import Glibc
import Linux
import Model

/// A destination of bytes. It is not buffered, so that the lines of a tail appear immediately.
struct ByteSink: Sendable {
    let write: @Sendable ([UInt8]) throws -> Void

    /// The reader has closed the output, as in `glossctl show | head`.
    struct Closed: Error {}
}

extension ByteSink {
    /// - Parameter name: its name in errors.
    /// - Throws: from `write`: `Closed` for a broken pipe, otherwise `FileError`.
    static func file(_ descriptor: Int32, _ name: String) -> ByteSink {
        ByteSink { bytes in
            switch writeAll(bytes, to: descriptor) {
            case 0: break
            case EPIPE: throw Closed()
            case let failure: throw FileError(call: name, errno: failure)
            }
        }
    }
}

struct FileError: Error, CustomStringConvertible {
    let call: String
    let errno: Int32

    var description: String { "\(call): \(errnoText(errno))" }
}
