import Model

/// Writes journal entries by journald's native protocol, without libsystemd.
/// - Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL
package struct JournalWriter: Sendable {
    package static let defaultSocketPath = "/run/systemd/journal/socket"

    private let socket: DatagramSocket

    /// - Parameter namespace: a journal namespace, or `nil` for the machine's journal.
    /// - Throws: `EmitError.invalidNamespace` for what cannot be one. Whether its journald runs shows with `send`.
    package init(namespace: String?) throws(EmitError) {
        guard let namespace else {
            try self.init(socketPath: Self.defaultSocketPath)
            return
        }
        guard Self.isNamespace(namespace) else { throw EmitError.invalidNamespace(namespace) }
        try self.init(socketPath: "/run/systemd/journal.\(namespace)/socket")
    }

    package init(socketPath: String) throws(EmitError) {
        socket = try DatagramSocket(path: socketPath)
    }

    /// Writes one entry; a field may occur more than once. Returns when journald's socket has it, which is before it is
    /// in the journal, and waits up to 30 seconds while that socket is full.
    /// - Throws: `EmitError`; then nothing was written.
    package func send(_ fields: [(name: String, value: [UInt8])]) throws(EmitError) {
        guard !fields.isEmpty else { throw EmitError.noFields }
        var message: [UInt8] = []
        for field in fields {
            try FieldEncoding.check(name: field.name)
            FieldEncoding.append(name: field.name, value: field.value, to: &message)
        }
        try socket.send(message)
    }

    /// One path component, so that a name cannot lead to another folder.
    private static func isNamespace(_ name: String) -> Bool {
        (1...200).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "/") }
    }
}
