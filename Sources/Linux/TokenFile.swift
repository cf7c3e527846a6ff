internal import Glibc

/// A bearer token in a file, as systemd's `LoadCredential=` provides it.
package enum TokenFile {
    /// Why there is no usable token. It never contains any part of it.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private static let maximumBytes = 16 * 1024

    /// Reads the token without white space at its end, such as the line break that editors add.
    /// - Throws: `Failure` when there is no usable token.
    package static func read(_ path: String) throws(Failure) -> String {
        let bytes = try contents(of: path)
        guard bytes.count <= maximumBytes else {
            throw Failure(description: "the token file \(path) is too large for a token")
        }
        let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let trimmed = bytes.reversed().drop(while: isSpace).reversed().drop(while: isSpace)
        guard !trimmed.isEmpty else { throw Failure(description: "the token file \(path) is empty") }
        // The characters that RFC 6750 allows are among the visible ASCII characters.
        guard trimmed.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Failure(description: "the token file \(path) holds characters that no token has")
        }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// Reads at most one byte more than a token may have.
    private static func contents(of path: String) throws(Failure) -> [UInt8] {
        // Opening a pipe that somebody put there must not block.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw failure(path) }
        defer { close(file) }
        var bytes: [UInt8] = []
        while bytes.count <= maximumBytes {
            var chunk = [UInt8](repeating: 0, count: maximumBytes + 1 - bytes.count)
            let count = Glibc.read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw failure(path) }
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    private static func failure(_ path: String) -> Failure {
        Failure(description: "the token file \(path) cannot be read: \(String(cString: strerror(errno)))")
    }
}
