internal import Glibc
package import Model

/// The kernel's notifications about folders: the names in them that have changed.
/// - Source: inotify(7)
package final class Inotify {
    package struct Event: Equatable {
        /// The watch that the event belongs to, as `watch` returned it.
        package var watch: Int32
        /// The name that changed within the folder; empty for the folder itself.
        @Exact package var name: String
        /// Whether a file was written to and nothing else happened.
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

        /// A sentence that says which resource of the kernel is exhausted.
        package var shortage: String {
            "the kernel has no inotify \(errno == ENOSPC ? "watch" : "instance") left for it "
                + "(\(errnoText(errno)); see fs.inotify in sysctl)"
        }

        /// Whether the kernel has no resource left, as opposed to a folder that does not exist.
        package var isExhaustion: Bool { [EMFILE, ENFILE, ENOSPC, ENOMEM, ENOSYS].contains(errno) }
    }

    /// The writes to files in a watched folder that are reported. Files that appear, disappear or change permissions
    /// are always reported.
    package enum Interest: Sendable {
        /// A file was written and closed. An open file is not useful yet.
        case closedFiles
        /// A file was written to.
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

    /// A descriptor that is readable when there are events.
    package let descriptor: Int32
    private let interest: Interest
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    package init(_ interest: Interest) throws(Failure) {
        self.interest = interest
        descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Watches the folder at the path. Returns the existing watch if the folder is already watched.
    package func watch(_ folder: String) throws(Failure) -> Int32 {
        let watch = inotify_add_watch(descriptor, folder, interest.mask)
        guard watch >= 0 else { throw Failure(errno: errno) }
        return watch
    }

    package func forget(_ watch: Int32) {
        // It fails if the kernel has already removed the watch, as for a folder that was removed.
        _ = inotify_rm_watch(descriptor, watch)
    }

    /// Returns the pending events, as many as fit one read, without waiting; empty when there are none.
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
            // The kernel pads the name with zeros.
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
