internal import Glibc
package import Model

/// What the kernel tells of folders: which name in them has changed.
/// - Source: inotify(7)
package final class Inotify {
    package struct Event: Equatable {
        /// Which watch it belongs to, as `watch` gave it.
        package var watch: Int32
        /// What changed within the folder; empty when it is the folder itself.
        @Exact package var name: String
        /// Whether a file was written to, and nothing else.
        package var isWrite: Bool
        /// Events were lost: anything may have changed.
        package var isOverflow: Bool

        package init(watch: Int32, name: String, isWrite: Bool = false, isOverflow: Bool) {
            self.watch = watch
            self.name = name
            self.isWrite = isWrite
            self.isOverflow = isOverflow
        }
    }

    package struct Failure: Error, Equatable {
        package var errno: Int32

        package init(errno: Int32) { self.errno = errno }

        /// What the kernel has none left of, in words for people.
        package var shortage: String {
            "the kernel has no inotify \(errno == ENOSPC ? "watch" : "instance") left for it "
                + "(\(String(cString: strerror(errno))); see fs.inotify in sysctl)"
        }

        /// Whether the kernel has none left to give, as opposed to a folder that is not there.
        package var isExhaustion: Bool { [EMFILE, ENFILE, ENOSPC, ENOMEM, ENOSYS].contains(errno) }
    }

    /// What of a file in a watched folder is told besides that it came, went or has other permissions.
    package enum Interest: Sendable {
        /// That it was written and closed: before, it is of no use.
        case closedFiles
        /// That it was written to.
        case writtenFiles

        fileprivate var mask: UInt32 {
            let names = [IN_CREATE, IN_DELETE, IN_MOVED_FROM, IN_MOVED_TO, IN_ATTRIB, IN_DELETE_SELF, IN_MOVE_SELF]
            let content =
                switch self {
                case .closedFiles: IN_CLOSE_WRITE
                case .writtenFiles: IN_MODIFY
                }
            return (names + [content])
                .reduce(UInt32(bitPattern: Int32(IN_EXCL_UNLINK)) | UInt32(IN_ONLYDIR)) { $0 | UInt32($1) }
        }
    }

    /// Readable when there are events.
    package let descriptor: Int32
    private let interest: Interest
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    package init(_ interest: Interest) throws(Failure) {
        self.interest = interest
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Watches the folder that the path leads to; the same watch again when it is watched already.
    package func watch(_ folder: String) throws(Failure) -> Int32 {
        let watch = inotify_add_watch(descriptor, folder, interest.mask)
        guard watch >= 0 else { throw Failure(errno: errno) }
        return watch
    }

    package func forget(_ watch: Int32) {
        // It fails for what the kernel has forgotten by itself, such as a folder that was removed.
        _ = inotify_rm_watch(descriptor, watch)
    }

    /// What has happened, as far as it fits one read; empty when nothing has. It does not wait.
    package func events() -> [Event] {
        let count = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return [] }
        return buffer.withUnsafeBytes { Self.events(in: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private static func events(in bytes: UnsafeRawBufferPointer) -> [Event] {
        let headSize = MemoryLayout<inotify_event>.size
        var events: [Event] = []
        var at = 0
        while at + headSize <= bytes.count {
            let head = bytes.loadUnaligned(fromByteOffset: at, as: inotify_event.self)
            let end = min(at + headSize + Int(head.len), bytes.count)
            // The name is padded with zeros.
            let name = String(decoding: bytes[(at + headSize)..<end].prefix { $0 != 0 }, as: UTF8.self)
            events.append(
                Event(
                    watch: head.wd, name: name, isWrite: head.mask == UInt32(IN_MODIFY),
                    isOverflow: head.mask & UInt32(IN_Q_OVERFLOW) != 0))
            at = end
        }
        return events
    }
}
