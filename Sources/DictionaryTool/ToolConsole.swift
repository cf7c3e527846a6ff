import Glibc
import Linux
import Model

/// The surroundings of a command: its outputs, its working folder, and its environment.
package struct ToolConsole: Sendable {
    /// Writes to standard output.
    /// - Throws: an error when the text cannot be written, which ends the command.
    package var output: @Sendable (String) throws -> Void
    package var errors: @Sendable (String) -> Void
    /// Whether `output` is a terminal.
    package var isTerminal: Bool
    package var environment: [String: String]
    /// The working folder as an absolute path; empty when it is not known.
    package var folder: String

    package init(
        output: @escaping @Sendable (String) throws -> Void, errors: @escaping @Sendable (String) -> Void,
        isTerminal: Bool = false, environment: [String: String] = [:], folder: String = ""
    ) {
        self.output = output
        // They may contain words of the command line, names of files and messages of other programs.
        self.errors = { errors(SafeText.neutralised($0, keepingLines: true)) }
        self.isTerminal = isTerminal
        self.environment = environment
        self.folder = folder
    }
    /// Returns JSON in the form for `output`: safe on a terminal, elsewhere unchanged.
    func machineText(_ json: String) -> String {
        isTerminal ? String(decoding: SafeText.neutralised(json: Array(json.utf8)), as: UTF8.self) : json
    }
}

extension ToolConsole {
    /// Returns the console of this process.
    static func process() -> ToolConsole {
        // A closed pipe then becomes an error of write(2).
        signal(SIGPIPE, SIG_IGN)
        return ToolConsole(
            output: { text throws(CommandFailure) in try write(text, to: STDOUT_FILENO) },
            // If this fails, there is no other place to report it.
            errors: { try? write($0, to: STDERR_FILENO) },
            isTerminal: isatty(STDOUT_FILENO) == 1, environment: environment(), folder: workingFolder())
    }

    /// Writes text. If the reader has closed the pipe, the rest is dropped; the exit status still shows the result.
    /// - Throws: `CommandFailure` when it cannot be written for another reason, such as a full disk.
    private static func write(_ text: String, to file: CInt) throws(CommandFailure) {
        let failure = writeAll(Array(text.utf8), to: file)
        guard failure == 0 || failure == EPIPE else {
            throw CommandFailure(.no, "standard output: \(errnoText(failure))")
        }
    }

    private static func workingFolder() -> String {
        guard let path = getcwd(nil, 0) else { return "" }
        defer { free(path) }
        return String(cString: path)
    }

    /// Returns only the variables that commands use.
    private static func environment() -> [String: String] {
        var values: [String: String] = [:]
        for name in ["NO_COLOR", "TERM", "CREDENTIALS_DIRECTORY"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}
