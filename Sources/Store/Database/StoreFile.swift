internal import Glibc
internal import Model

/// The database file in the file system.
///
/// Once SQLite has opened the file, it must not be opened here: closing any descriptor of it would release SQLite's
/// locks.
/// - Source:
///   https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
struct StoreFile: Sendable {
    /// The absolute path without symbolic links.
    let path: String

    var walPath: String { path + "-wal" }
    var folder: String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) + "/" }

    /// Checks that the folder exists and that the file is absent or could be a database.
    init(path: String) throws(StoreError) {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(Substring(path.utf8[$0...].dropFirst())) } ?? path
        let folder = slash.map { String(path[...$0]) } ?? "."
        guard let real = Self.resolved(folder), !name.isEmpty else {
            let code = errno
            throw StoreError(
                kind: .failed, description: "the folder of the store \(path) cannot be reached: \(errnoText(code))",
                hint: "Create the folder, or name another file in the settings under store.path.", systemError: code)
        }
        let plain = (real == "/" ? "" : real) + "/" + name
        self.path = Self.resolved(plain) ?? plain
        try checkKind()
        try checkAccess()
    }

    private func checkKind() throws(StoreError) {
        guard let status = Self.status(path) else {
            guard errno == ENOENT else {
                let code = errno
                throw StoreError(
                    kind: .failed, description: "the store \(path) cannot be reached: \(errnoText(code))",
                    systemError: code)
            }
            // SQLite creates no file through it.
            var link = stat()
            guard lstat(path, &link) != 0 else {
                throw StoreError(
                    kind: .foreign, description: "the store \(path) is a symbolic link to a file that does not exist",
                    hint: "Make the file reachable again, or remove the link: glossd then creates a store there.")
            }
            return
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(
                kind: .foreign, description: "the store \(path) is not a regular file",
                hint: "Name another file in the settings under store.path.")
        }
    }

    private func checkAccess() throws(StoreError) {
        let isThere = Self.status(path) != nil
        for place in isThere ? [folder, path] : [folder] where access(place, W_OK) != 0 {
            let code = errno
            throw StoreError(
                kind: .readOnly, description: "the store \(path) cannot be written: \(place): \(errnoText(code))",
                hint: "Make the file and its folder writable for the daemon's user.", systemError: code)
        }
    }

    /// Checks that the file belongs to the user or to root: another owner could read and change it at any time.
    func checkOwner(_ user: uid_t = geteuid()) throws(StoreError) {
        guard let owner = Self.status(path)?.st_uid, owner != user, owner != 0 else { return }
        throw StoreError(
            kind: .foreign, description: "the store \(path) belongs to another user (\(owner))",
            hint: "Let it belong to the daemon's user (chown), or name another file in the settings under store.path.")
    }

    /// Creates an empty file that only its owner may read. SQLite gives its companion files the same permissions.
    func createIfMissing() throws(StoreError) {
        let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            close(descriptor)
        } else if errno != EEXIST {
            let isFull = errno == ENOSPC || errno == EDQUOT
            throw StoreError(
                kind: isFull ? .full : .failed, description: "the store \(path) cannot be created: \(errnoText(errno))",
                hint: isFull ? StoreError.fullHint : nil, isOfDisk: isFull)
        }
    }

    /// Whose folder it is; `nil` if that cannot be seen.
    var folderOwner: uid_t? { Self.status(folder)?.st_uid }

    // MARK: while it is open

    /// The identity of a file independent of its name, to detect that it was replaced.
    struct Identity: Sendable, Hashable {
        var device: UInt
        var inode: UInt
    }

    struct Identities: Sendable, Hashable {
        var database: Identity?
        var wal: Identity?
    }

    /// - Throws: an error when the folder cannot be reached, so that it is not known whether the files are there.
    func identities() throws(StoreError) -> Identities {
        Identities(database: try Self.identity(path), wal: try Self.identity(walPath))
    }

    /// - Throws: an error when the files are no longer the opened ones, since further writes would be lost, or when
    ///   that cannot be checked.
    func verify(_ opened: Identities) throws(StoreError) {
        let now = try identities()
        guard now == opened else {
            let which = now.database == opened.database ? walPath : path
            throw StoreError(
                kind: .failed,
                description: "\(which) was deleted or replaced while the daemon had it open",
                hint: "Restart glossd. It continues with the current file, or creates a new one from the journal."
            )
        }
        guard sizes.database > 0 else {
            throw StoreError(
                kind: .corrupt, description: "\(path) was emptied while the daemon had it open",
                hint: Self.rebuildHint(path))
        }
    }

    /// The sizes in bytes.
    var sizes: (database: Int64, wal: Int64) {
        (Int64(Self.status(path)?.st_size ?? 0), Int64(Self.status(walPath)?.st_size ?? 0))
    }

    /// Whether the file system permits one more file beside the database. It may be out of inodes, or the owner may
    /// exceed a quota, while bytes are free. Also `true` when creating the file fails for another reason.
    var hasRoomForAnother: Bool {
        // A name that no file has: what stayed behind when a process was killed neither hinders nor is touched.
        var probe = Array((path + ".room-XXXXXX").utf8CString)
        let descriptor = mkstemp(&probe)
        guard descriptor >= 0 else { return errno != ENOSPC && errno != EDQUOT }
        close(descriptor)
        unlink(probe)
        return true
    }

    /// Returns a hint for a file that cannot be used.
    static func rebuildHint(_ path: String) -> String {
        """
        Stop glossd, move \(path), \(path)-wal and \(path)-shm away, leave hash.key where it is, and start it again: \
        the store is rebuilt from the journal, as far back as that goes, and sinks get the rebuilt events again.
        """
    }

    /// - Returns: `nil` when there is no such file.
    private static func identity(_ path: String) throws(StoreError) -> Identity? {
        if let status = status(path) { return Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino)) }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw StoreError(
                kind: .failed, description: "\(path) can no longer be reached: \(errnoText(errno))",
                hint: "Give the daemon's user access to the file and its folder again, and restart glossd.")
        }
        return nil
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
