import Glibc
import Model

/// Remembers, as a file beside the store, that events were stored while `privacy` was set to reveal. Once values are protected
/// again, these events have to be reprocessed, and an event does not show in which mode it was stored.
package struct RevealedMark: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        /// The errno.
        package var code: Int32
    }

    static let fileName = "revealed"

    private let folder: StateFolder
    private var path: String { folder.file(Self.fileName) }

    package init(in folder: StateFolder) {
        self.folder = folder
    }

    package var isSet: Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// Call it before the first event is stored with private values.
    package func set() throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("made") }
        close(file)
        guard folder.sync() else { throw failure("made") }
    }

    /// Call it when no stored event has such values any more.
    package func clear() throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removed") }
    }

    private func failure(_ what: String) -> Failure {
        let code = errno
        return Failure(
            description: "the file \(path) cannot be \(what): \(String(cString: strerror(code)))", code: code)
    }
}
