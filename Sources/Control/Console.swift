import Model

/// The environment of a run of glossctl. Tests provide their own.
struct Console: Sendable {
    var environment: [String: String]
    var output: ByteSink
    var errors: ByteSink
    /// Reads the next bytes of standard input; empty at its end.
    var input: @Sendable () throws(FileError) -> [UInt8] = { [] }
    /// What reads lines from the terminal; `nil` if standard input or the output is none.
    var lineEditor: @Sendable () -> LineEditor? = { nil }
    /// The columns of the terminal that shows the output; `nil` if the output goes elsewhere.
    var terminalWidth: @Sendable () -> Int? = { nil }
    /// The lines of the terminal that shows the output; `nil` if the output goes elsewhere.
    var terminalHeight: @Sendable () -> Int? = { nil }
    /// How often the process was continued after it was stopped, as by Ctrl-Z and `fg`, since this was asked first.
    var continuations: @Sendable () -> Int = { 0 }
    /// Whether the output is a file, which nobody looks at meanwhile.
    var isOutputFile: @Sendable () -> Bool = { false }
    /// The columns of the terminal that shows the errors; `nil` if they go elsewhere.
    var errorWidth: @Sendable () -> Int? = { nil }
    /// Makes the run end as soon as the reader of the output ends. A command that follows a quiet stream writes too
    /// rarely to notice.
    var endWithReader: @Sendable () -> Void = {}
    /// Gives the run time to end when it is interrupted, since it has something to remove then and notices soon.
    var endByItself: @Sendable () -> Void = {}
    /// Runs a part that Ctrl-C ends instead of the run.
    var runInterruptible: @Sendable (_ part: @escaping @Sendable () async throws -> Void) async throws -> Void = {
        try await $0()
    }
    /// Starts a pager that writes to the same output; `nil` if it cannot be started.
    var startPager: @Sendable (Pager) -> RunningPager? = { _ in nil }
    /// Whether the output goes through a pager.
    var isPaged = false
    /// The folder of glossctl; `nil` if it cannot be determined.
    var programFolder: @Sendable () -> String? = { nil }
    /// Replaces this process by a program, whose arguments begin with its name. Returns only in tests.
    var become: @Sendable (_ path: String, _ arguments: [String]) throws -> Void = { _, _ in }
    /// How long the reader of the output may pause, see `ControlClient`.
    var longestPause = ControlClient.usualPause
    var zone = Zone.utc
    /// The current time, in microseconds since 1970.
    var now: @Sendable () -> UInt64

    func print(_ text: String) throws {
        try output.write(Array(text.utf8))
    }

    /// Prints what decides about the status of a command, however much of it is read.
    func answer(_ print: () throws -> Void) throws {
        do { try print() } catch is ByteSink.Closed {}
    }

    /// Prints a message for people. A closed output is ignored.
    func complain(_ message: String) {
        writeError("glossctl: \(message)")
    }

    /// Writes to the errors. All messages pass through here, since they may repeat words of the command line.
    func writeError(_ text: String) {
        try? errors.write(Array((SafeText.neutralised(text, keepingLines: true) + "\n").utf8))
    }
}
