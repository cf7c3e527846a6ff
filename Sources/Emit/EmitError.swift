import Glibc
import Model

/// The reason why an entry could not be written to the journal.
package enum EmitError: Error, Hashable, CustomStringConvertible {
    case invalidFieldName(String, reason: String)
    case invalidNamespace(String)
    /// No journald receives entries at the path.
    case noJournal(path: String)
    case system(call: String, path: String, errno: Int32)

    package var description: String {
        switch self {
        case .invalidFieldName(let name, let reason): "\"\(name)\" is not a journal field name: \(reason)"
        case .invalidNamespace(let name): "\"\(name)\" is not a journal namespace"
        case .noJournal(let path): "no journald listens at \(path)"
        case .system(let call, let path, let errno):
            "\(call) \(path): \(errnoText(errno))"
        }
    }

    /// A suggestion for what a person can do about it.
    package var hint: String? {
        switch self {
        case .invalidFieldName: "names are 1 to 64 of A-Z, 0-9 and _, and begin with a letter"
        case .invalidNamespace: "a namespace is one file name, such as LogNamespace= in a unit has it"
        case .noJournal(let path) where path == JournalWriter.defaultSocketPath:
            "is systemd-journald running? In a container the host's /run/systemd/journal must be mounted"
        case .noJournal(let path) where JournalWriter.isNamespaceSocket(path):
            "is the journald of this namespace running? systemctl status 'systemd-journald@*'"
        case .noJournal: "the socket of the machine's journald is \(JournalWriter.defaultSocketPath)"
        case .system(_, _, EACCES), .system(_, _, EPERM): "this user may not write to that socket"
        case .system(_, _, EAGAIN): "journald has not read from its socket in time: is it stopped or overloaded?"
        case .system: nil
        }
    }
}
