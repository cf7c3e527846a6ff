import Glibc

/// A folder that is open: what is read by its names is in it, also if the folder is replaced meanwhile.
///
/// Links are followed as long as they lead to something in the folder. Otherwise, whoever may write there, such as the author of a
/// git repository, could show the files that only this process may read.
package final class OpenFolder {
    package struct Failure: Error {
        package var code: Int32
        /// Whether a link leads out of the folder.
        package var isOutside = false
    }

    private let stream: OpaquePointer
    /// The folder that this one is in, whose files links may lead to, too.
    private let parent: OpenFolder?

    private var descriptor: Int32 { dirfd(stream) }

    package convenience init(_ path: String) throws(Failure) {
        try self.init(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), in: nil)
    }

    /// Takes over the descriptor.
    private init(_ descriptor: Int32, in parent: OpenFolder?) throws(Failure) {
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            throw Failure(code: code)
        }
        (self.stream, self.parent) = (stream, parent)
    }

    deinit { closedir(stream) }

    /// Opens a folder in this one. Its links may lead to anything in this one.
    package func folder(_ name: String) throws(Failure) -> OpenFolder { try OpenFolder(open(name), in: self) }

    /// Opens for reading what has a name in the folder.
    /// - Returns: a descriptor.
    package func open(_ name: String) throws(Failure) -> Int32 {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        let file = openat(descriptor, name, flags | O_NOFOLLOW)
        if file >= 0 { return file }
        guard errno == ELOOP else { throw Failure(code: errno) }
        // What is open now is compared, not the link, which may be another one by now.
        let target = openat(descriptor, name, flags)
        guard target >= 0 else { throw Failure(code: errno) }
        do throws(Failure) {
            guard let place = Self.place(target), let folder = Self.place((parent ?? self).descriptor) else {
                throw Failure(code: errno)
            }
            let isInside = folder == Self.slash || place.starts(with: folder + Self.slash)
            guard isInside else { throw Failure(code: EXDEV, isOutside: true) }
            return target
        } catch {
            close(target)
            throw error
        }
    }

    /// Whether the folder has the name, even if that is a link to nothing.
    package func has(_ name: String) -> Bool {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
    }

    /// Calls `body` with each name in the folder, and whether it is UTF-8. It can be done once.
    /// - Throws: when some names may be missing.
    package func forEachName(_ body: (String, _ isText: Bool) -> Void) throws(Failure) {
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let (name, isText) = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                    (String(cString: $0), String(validatingCString: $0) != nil)
                }
            }
            body(name, isText)
        }
        guard errno == 0 else { throw Failure(code: errno) }
    }

    private static let slash = Array("/".utf8)

    /// Returns the path of what is open, without links; `nil` if it is not known, and `errno` says why.
    /// - Source: proc_pid_fd(5)
    private static func place(_ descriptor: Int32) -> [UInt8]? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(descriptor)", &path, path.count)
        return count > 0 ? path.prefix(count).map(UInt8.init(bitPattern:)) : nil
    }
}
