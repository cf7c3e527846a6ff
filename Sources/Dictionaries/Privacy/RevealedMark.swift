import Glibc
import Model

/// Remembers that events were stored while `privacy` was set to reveal: a file beside the store. Once values are
/// protected again, those events must be gone through, and nothing about an event tells in which mode it was stored.
package struct RevealedMark: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
        /// The errno behind it.
        package var code: Int32
    }

    static let fileName = "revealed"

    private let folder: StateFolder
    private var path: String { folder.file(Self.fileName) }

    package init(in folder: StateFolder) {
        self.folder = folder
    }

    package var isSet: Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// To be called before the first event is stored so.
    package func set() throws(Failure) {
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("made") }
        close(file)
        guard folder.sync() else { throw failure("made") }
    }

    /// To be called when no event has such a value any more.
    package func clear() throws(Failure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("removed") }
    }

    private func failure(_ what: String) -> Failure {
        let code = errno
        return Failure(
            description: "the file \(path) cannot be \(what): \(String(cString: strerror(code)))", code: code)
    }
}
