internal import Glibc

/// A lock on a file, which names the process that holds it. The kernel releases it when the process ends for any reason. The file
/// stays: if it were removed, two processes could lock two files with the same name.
/// - Source: flock(2)
package struct FileLock: ~Copyable, Sendable {
    package enum Failure: Error {
        /// Another process has it.
        case held(process: Int32?)
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
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        return Int32(String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).prefix { $0.isNumber })
    }
}
