import Model

/// Writes journal entries by journald's native protocol, without libsystemd.
/// - Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL
package struct JournalWriter: Sendable {
    package static let defaultSocketPath = "/run/systemd/journal/socket"

    /// How long a writer waits for journald if nothing else is said.
    package static let patience = Duration.seconds(30)

    private static let namespacePrefix = "/run/systemd/journal."

    private let socket: DatagramSocket

    /// - Parameters:
    ///   - namespace: a journal namespace, or `nil` for the machine's journal.
    ///   - patience: how long `send` waits while journald's socket is full.
    /// - Throws: `EmitError.invalidNamespace` if the name is not allowed. Whether its journald runs
    ///   is only known when `send` fails.
    package init(namespace: String?, patience: Duration = patience) throws(EmitError) {
        if let namespace, !JournalLocation.isNamespace(namespace) { throw EmitError.invalidNamespace(namespace) }
        try self.init(socketPath: Self.socketPath(namespace: namespace), patience: patience)
    }

    /// Where the journald of a namespace listens, or that of the machine.
    package static func socketPath(namespace: String?) -> String {
        namespace.map { "\(namespacePrefix)\($0)/socket" } ?? defaultSocketPath
    }

    package init(socketPath: String, patience: Duration = patience) throws(EmitError) {
        socket = try DatagramSocket(path: socketPath, patience: patience)
    }

    /// Writes one entry, which has a field at least; a field may occur more than once. Returns when journald's socket has
    /// accepted it, which is before it is in the journal. Waits while that socket is full.
    /// - Throws: `EmitError` if nothing was written: `system` with `EAGAIN` if there is no patience left.
    package func send(_ fields: [(name: String, value: [UInt8])]) throws(EmitError) {
        precondition(!fields.isEmpty)
        var message: [UInt8] = []
        for field in fields {
            try FieldEncoding.check(name: field.name)
            FieldEncoding.append(name: field.name, value: field.value, to: &message)
        }
        try socket.send(message)
    }

    /// Whether the journald of a namespace would listen at the path.
    static func isNamespaceSocket(_ path: String) -> Bool { path.hasPrefix(namespacePrefix) }
}

/// The encoding of fields in journald's native protocol.
/// - Source: https://systemd.io/JOURNAL_NATIVE_PROTOCOL
enum FieldEncoding {
    /// Appends `NAME=value` if the value is one line; otherwise the name, the length and the value, which may be any
    /// bytes.
    static func append(name: String, value: [UInt8], to message: inout [UInt8]) {
        message.append(contentsOf: name.utf8)
        if value.contains(UInt8(ascii: "\n")) {
            message.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { message.append(contentsOf: $0) }
        } else {
            message.append(UInt8(ascii: "="))
        }
        message.append(contentsOf: value)
        message.append(UInt8(ascii: "\n"))
    }

    /// Checks a field's name. journald silently drops fields with other names, so they are refused here.
    /// - Source: systemd.journal-fields(7), "User Journal Fields"
    static func check(name: String) throws(EmitError) {
        func refuse(_ reason: String) -> EmitError { .invalidFieldName(name, reason: reason) }
        guard let first = name.utf8.first else { throw refuse("it is empty") }
        if name.utf8.count > 64 { throw refuse("it is longer than 64 bytes") }
        if first == UInt8(ascii: "_") { throw refuse("a leading _ is reserved for what journald itself adds") }
        if first.isDigit { throw refuse("it begins with a digit") }
        let isAllowed: (UInt8) -> Bool = { $0.isDigit || $0 == UInt8(ascii: "_") || (0x41...0x5A).contains($0) }
        if let other = name.first(where: { !$0.utf8.allSatisfy(isAllowed) }) {
            throw refuse("it has the character \"\(other)\"")
        }
    }
}
