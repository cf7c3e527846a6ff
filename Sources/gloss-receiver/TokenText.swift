import FoundationEssentials
import Glibc

enum TokenText {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The token in a file, without the line break at its end.
    /// - Throws: when there is none: requests without a token would pass for authorized.
    static func read(_ path: String) throws(Failure) -> String {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw Failure(description: "the token file \(path) cannot be read: \(reason(path))")
        }
        let token = String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace }
        guard !token.isEmpty else { throw Failure(description: "the token file \(path) holds no token") }
        return String(token)
    }

    private static func reason(_ path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return String(cString: strerror(errno)) }
        close(file)
        return "it is no file"
    }
}
