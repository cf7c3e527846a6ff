import Glibc
import Model

/// Reads files, pipes and terminals.
enum ByteSource {
    private static let pieceBytes = 64 << 10

    /// Reads the next bytes, and waits for them. There are none at the end.
    /// - Parameter name: its name in errors.
    static func next(_ descriptor: Int32, _ name: String) throws(FileError) -> [UInt8] {
        while true {
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
                let got = read(descriptor, buffer.baseAddress, buffer.count)
                failure = got < 0 ? errno : 0
                count = max(0, got)
            }
            switch failure {
            case 0: return bytes
            case EINTR: continue
            case EAGAIN:
                // Another process has made the terminal or pipe non-blocking.
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = Glibc.poll(&poll, 1, -1)
            default: throw FileError(call: name, errno: failure)
            }
        }
    }

    /// Reads a file, or what is written to a pipe, to its end.
    /// - Throws: `FileError`, with `EFBIG` if it is longer than `most` bytes.
    static func all(of path: String, atMost most: Int) throws(FileError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(call: path, errno: errno) }
        defer { close(descriptor) }
        return try all(path, atMost: most) { () throws(FileError) in try next(descriptor, path) }
    }

    fileprivate static func all(
        _ name: String, atMost most: Int, _ next: () throws(FileError) -> [UInt8]
    ) throws(FileError) -> [UInt8] {
        var all: [UInt8] = []
        while case let bytes = try next(), !bytes.isEmpty {
            all += bytes
            guard all.count <= most else { throw FileError(call: name, errno: EFBIG) }
        }
        return all
    }
}

extension Console {
    /// Reads standard input to its end.
    /// - Throws: `FileError`, with `EFBIG` if it is longer than `most` bytes.
    func readAll(atMost most: Int) throws(FileError) -> [UInt8] {
        try ByteSource.all("standard input", atMost: most, input)
    }
}
