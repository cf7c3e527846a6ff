import Crypto
import Glibc
package import Model

/// The secret of this machine that private values and journal entries are hashed with: 32 random bytes in a file beside the
/// store. With another key, equal values would have different hashes, and the same events different uids.
package struct HashKey: Sendable {
    /// Its texts say where and why, and never contain the key.
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        package var hint: String
        /// The errno, if there is one.
        package var code: Int32 = 0

        /// Whether a daemon that is started again meets the same, until somebody does what the hint says.
        package var isLasting: Bool { [0, EACCES, EPERM, EROFS].contains(code) }
    }

    static let fileName = "hash.key"
    private static let size = 32

    /// Whether a file at this path is the key of the daemons whose databases are in its folder.
    package static func isFile(_ path: String) -> Bool { path.hasSuffix("/\(fileName)") }

    package static let lostWarning = """
        The key \(fileName) beside the store was missing, and a new one was made: values hashed from now on are not equal \
        to those in the store, and the entries of stored events are not recognized: they are called gone, glossctl verify \
        does not find their events, and those that are read again are stored twice. If there is a copy of the old one, stop the daemon, put it back, and start.
        """

    package let bytes: [UInt8]
    /// What entries are hashed with, which says nothing about the key itself.
    package var entryKey: ID128 {
        let code = HMAC<SHA256>.authenticationCode(for: Array("journal entries".utf8), using: SymmetricKey(data: bytes))
        func word(_ bytes: some Sequence<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return ID128(high: word(code.prefix(8)), low: word(code.dropFirst(8).prefix(8)))
    }
    /// Whether it was made now, because there was none.
    package let isNew: Bool

    /// Reads the key, or makes one if there is none. Daemons whose databases are in the same folder share the key.
    /// - Throws: `Failure` when the file cannot be read or made, or is not a valid key file.
    package init(in folder: StateFolder) throws(Failure) {
        let path = folder.file(Self.fileName)
        if let bytes = try Self.read(path) {
            (self.bytes, isNew) = (bytes, false)
        } else {
            try Self.make(path, in: folder)
            // Another daemon may have made it first.
            guard let bytes = try Self.read(path) else { throw Self.refusal(path, "has gone") }
            (self.bytes, isNew) = (bytes, true)
        }
    }

    /// Looks at the key, and makes none.
    /// - Returns: what this user cannot see; `nil` if the key can be used, or is not there yet.
    /// - Throws: what `init` would throw.
    package static func look(in folder: StateFolder) throws(Failure) -> String? {
        do throws(Failure) {
            // The daemon may run as another user than this one: the folder is its own.
            _ = try read(folder.file(fileName), of: folder.owner ?? geteuid())
            return nil
        } catch {
            guard error.code == EACCES || error.code == EPERM else { throw error }
            return "\(error) for this user; glossd may run as another"
        }
    }

    /// - Parameter user: whose file it has to be, if it is not root's.
    /// - Returns: `nil` when there is no such file.
    private static func read(_ path: String, of user: uid_t = geteuid()) throws(Failure) -> [UInt8]? {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0 {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw refusal(path, "is a symbolic link, not a regular file")
            case EACCES, EPERM:
                let code = errno
                throw Failure(
                    description: "the key \(path) cannot be read: \(errnoText(code))",
                    hint: "Let it belong to the daemon's user (chown). With another key, hashes would not be equal.",
                    code: code)
            default: throw unreadable(path, errno)
            }
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw refusal(path, "is not a regular file") }
        guard status.st_uid == user || status.st_uid == 0 else {
            throw Failure(
                description: "the key \(path) belongs to another user (\(status.st_uid))",
                hint: "Let it belong to the daemon's user (chown). Whoever owns it can read and replace it.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw Failure(
                description: "the key \(path) can be read by others than its owner",
                hint: "Run: chmod 600 \(path). Whoever has read it can find out hashed values by trying.")
        }
        guard status.st_size == size else { throw refusal(path, "has \(status.st_size) bytes instead of \(size)") }
        var bytes = [UInt8](repeating: 0, count: size)
        guard Glibc.read(file, &bytes, size) == size else { throw unreadable(path, errno) }
        return bytes
    }

    /// Makes the file with all of its content, or not at all.
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
        // Unlike rename(2), link(2) does not replace an existing file.
        guard link(draft, path) == 0 || errno == EEXIST else { throw failure(path, "link") }
        guard folder.sync() else { throw failure(path, "fsync") }
    }

    private static func unreadable(_ path: String, _ code: Int32) -> Failure {
        var failure = refusal(path, "cannot be read: \(errnoText(code))")
        failure.code = code
        return failure
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
            description: "the key \(path) cannot be made: \(call): \(errnoText(errno))",
            hint: "Make the store's folder writable for the daemon's user, and see to it that its disk has room.",
            code: errno)
    }
}

/// The folder of the store's database, where the daemon keeps files that belong to the database.
package struct StateFolder: Sendable {
    let path: String

    /// - Parameter path: the path of the database. If it is a symbolic link, the folder is that of its target.
    package init(ofStore path: String) {
        let real = realpath(path, nil)
        defer { free(real) }
        let file = real.map { String(cString: $0) } ?? path
        self.path = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
    }

    /// The user whose folder it is; `nil` if that cannot be seen.
    package var owner: UInt32? {
        var status = stat()
        return stat(path.isEmpty ? "/" : path, &status) == 0 ? status.st_uid : nil
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Syncs the folder, so that new names in it survive a power failure.
    /// - Returns: whether it succeeded.
    func sync() -> Bool {
        let folder = open(path.isEmpty ? "/" : path, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        return fsync(folder) == 0
    }
}
