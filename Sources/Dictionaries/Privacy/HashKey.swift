import Glibc
import Model

/// The secret of this machine that private values are hashed with: 32 random bytes in a file beside the store. With
/// another one, equal values would no longer look equal.
package struct HashKey: Sendable {
    /// Says where and why; never the key.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package var hint: String
        /// The errno behind it, where there is one.
        package var code: Int32 = 0
    }

    static let fileName = "hash.key"
    private static let size = 32

    package static let lostWarning = """
        The key \(fileName) beside the store was missing, and a new one was made: values hashed from now on are not equal \
        to those in the store. If there is a copy of the old one, stop the daemon, put it back, and start.
        """

    package let bytes: [UInt8]
    /// Whether there was none.
    package let isNew: Bool

    /// Reads the key, or makes one where there is none. Two daemons whose databases share a folder share the key.
    /// - Throws: `Failure` when the file cannot be read or made, or is not what it should be.
    package init(in folder: StateFolder) throws(Failure) {
        let path = folder.file(Self.fileName)
        if let bytes = try Self.read(path) {
            (self.bytes, isNew) = (bytes, false)
        } else {
            try Self.make(path, in: folder)
            // Another daemon may have been first.
            guard let bytes = try Self.read(path) else { throw Self.refusal(path, "has gone") }
            (self.bytes, isNew) = (bytes, true)
        }
    }

    /// - Returns: `nil` when there is no such file.
    private static func read(_ path: String) throws(Failure) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw refusal(path, "is a symbolic link, not a regular file")
            default: throw refusal(path, "cannot be read: \(errorText())")
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw refusal(path, "cannot be read: \(errorText())") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "is not a regular file") }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure(
                description: "the key \(path) can be read by others than its owner",
                hint: "Run: chmod 600 \(path). Whoever has read it can find out hashed values by trying.")
        }
        guard status.st_size == size else { throw refusal(path, "has \(status.st_size) bytes instead of \(size)") }
        var bytes = [UInt8](repeating: 0, count: size)
        guard Glibc.read(file, &bytes, size) == size else { throw refusal(path, "cannot be read: \(errorText())") }
        return bytes
    }

    /// The file is there with all of its content, or not at all.
    private static func make(_ path: String, in folder: StateFolder) throws(Failure) {
        // On Linux this is getrandom(2).
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let draft = "\(path).\(String(UInt64.random(in: .min ... .max, using: &random), radix: 16))"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure(draft, "open") }
        defer {
            close(file)
            unlink(draft)
        }
        guard write(file, bytes, size) == size else { throw failure(draft, "write") }
        guard fsync(file) == 0 else { throw failure(draft, "fsync") }
        // Unlike rename(2), it leaves alone what is there already.
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(path, "link") }
        guard folder.sync() else { throw failure(path, "fsync") }
    }

    private static func refusal(_ path: String, _ what: String) -> Failure {
        Failure(
            description: "the key \(path) \(what)",
            hint: """
                Put the file back from a copy. If there is none, remove it, and a new key is made: values hashed from \
                then on will not be equal to those hashed before.
                """)
    }

    private static func failure(_ path: String, _ call: String) -> Failure {
        Failure(
            description: "the key \(path) cannot be made: \(call): \(errorText())",
            hint: "Make the store's folder writable for the daemon's user, and see to it that its disk has room.",
            code: errno)
    }

    private static func errorText() -> String { String(cString: strerror(errno)) }
}

/// The folder that the store's database is in, where the daemon keeps what must stay with it.
package struct StateFolder: Sendable {
    let path: String

    /// - Parameter path: the database's; where it is a link, what counts is where the file is.
    package init(ofStore path: String) {
        let real = realpath(path, nil)
        defer { free(real) }
        let file = real.map { String(cString: $0) } ?? path
        self.path = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Sees to it that the names in it survive a power failure.
    /// - Returns: whether that worked.
    func sync() -> Bool {
        let folder = open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }
}
