internal import Glibc
internal import Model

/// A lock on a file, which names the process that holds it. The kernel releases it when the process ends for any reason. The file
/// stays: if it were removed, two processes could lock two files with the same name.
/// - Source: flock(2)
package struct FileLock: ~Copyable, Sendable {
    package enum Failure: Error {
        /// Another process has it.
        case held(process: Int32?)
        /// The file is something else, and was left as it is.
        case foreign(reason: String)
        /// A system call failed.
        case failed(call: String, errno: Int32)
    }

    private let descriptor: Int32

    package init(path: String) throws(Failure) {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .failed(call: "open", errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            let holder = Self.holder(descriptor)
            close(descriptor)
            throw code == EWOULDBLOCK ? .held(process: holder) : .failed(call: "flock", errno: code)
        }
        if let reason = Self.foreignness(descriptor) {
            close(descriptor)
            throw .foreign(reason: reason)
        }
        // The process is for messages of others. On a full disk it is not written.
        let text = "\(getpid())\n"
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.utf8.count, 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Whether the locked file is the one at a path: others would lock another one.
    package func isFile(at path: String) -> Bool {
        var (own, there) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && lstat(path, &there) == 0 && own.st_dev == there.st_dev
            && own.st_ino == there.st_ino
    }

    private static func holder(_ descriptor: Int32) -> Int32? {
        Int32(String(decoding: beginning(descriptor), as: UTF8.self).prefix { $0.isNumber })
    }

    /// Why writing to the file could destroy what is not a lock's; `nil` if it is one, or empty. It may be another file by a
    /// hard link, which anybody could make who may write to the folder.
    private static func foreignness(_ descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return errnoText(errno) }
        if status.st_mode & S_IFMT != S_IFREG { return "it is not a regular file" }
        // It has no name if it was removed just now.
        if status.st_nlink > 1 { return "it has another name, too (a hard link)" }
        if status.st_uid != geteuid(), status.st_uid != 0 { return "it belongs to another user (\(status.st_uid))" }
        let text = beginning(descriptor)
        let isProcess = text.last == UInt8(ascii: "\n") && text.dropLast().allSatisfy(\.isDigit)
        guard status.st_size == 0 || isProcess && status.st_size == text.count else {
            return "it has other content than the number of a process"
        }
        return nil
    }

    /// More than a process number has.
    private static func beginning(_ descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return Array(buffer.prefix(max(count, 0)))
    }
}
