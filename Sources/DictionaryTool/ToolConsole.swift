import Glibc
import Model

/// What surrounds a command: where it writes, where it stands, and what the environment says.
package struct ToolConsole: Sendable {
    /// - Throws: when it cannot be written, which ends the command.
    package var output: @Sendable (String) throws -> Void
    package var errors: @Sendable (String) -> Void
    /// Whether `output` is a person's screen.
    package var isTerminal: Bool
    package var environment: [String: String]
    /// The working folder, absolute; empty when it is not known.
    package var folder: String

    package init(
        output: @escaping @Sendable (String) throws -> Void, errors: @escaping @Sendable (String) -> Void,
        isTerminal: Bool = false, environment: [String: String] = [:], folder: String = ""
    ) {
        self.output = output
        // They may repeat words of the command line, names of files and what other programs say.
        self.errors = { errors(SafeText.neutralised($0, keepingLines: true)) }
        self.isTerminal = isTerminal
        self.environment = environment
        self.folder = folder
    }
    /// JSON as it goes to `output`: harmless on a terminal, elsewhere as it is.
    func machineText(_ json: String) -> String {
        isTerminal ? String(decoding: SafeText.neutralised(json: Array(json.utf8)), as: UTF8.self) : json
    }
}

extension ToolConsole {
    /// The process's own.
    static func process() -> ToolConsole {
        // A reader that leaves is then an error of write(2).
        signal(SIGPIPE, SIG_IGN)
        return ToolConsole(
            output: { text throws(CommandFailure) in try write(text, to: STDOUT_FILENO) },
            // Nobody is left to be told that they cannot be.
            errors: { try? write($0, to: STDERR_FILENO) },
            isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment(), folder: workingFolder())
    }

    /// A reader that leaves has seen enough, and what it has not seen is dropped: the status still says how it went.
    /// - Throws: `CommandFailure` when it cannot be written for another reason, such as a full disk.
    private static func write(_ text: String, to file: CInt) throws(CommandFailure) {
        var text = text
        let failure = text.withUTF8 { bytes -> CInt in
            var rest = UnsafeRawBufferPointer(bytes)
            while let base = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(file, base, rest.count)
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if errno == EAGAIN {
                    // Somebody else made the pipe non-blocking: wait for room.
                    var room = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                    poll(&room, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard failure == 0 || failure == EPIPE else {
            throw CommandFailure(.no, "standard output: \(String(cString: strerror(failure)))")
        }
    }

    private static func workingFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    /// Only what commands ask for.
    private static func environment() -> [String: String] {
        var values: [String: String] = [:]
        for name in ["NO_COLOR", "TERM", "CREDENTIALS_DIRECTORY"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}
