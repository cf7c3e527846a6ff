package import Model

/// The environment of a run of glossctl. Tests provide their own.
package struct Console: Sendable {
    package var environment: [String: String]
    package var output: ByteSink
    package var errors: ByteSink
    /// Reads the next bytes of standard input; empty at its end.
    package var input: @Sendable () throws -> [UInt8]
    /// What reads lines from the terminal; `nil` if standard input or the output is none.
    package var lineEditor: @Sendable () -> LineEditor?
    /// The columns of the terminal that shows the output; `nil` if the output goes elsewhere.
    package var terminalWidth: @Sendable () -> Int?
    /// The lines of the terminal that shows the output; `nil` if the output goes elsewhere.
    package var terminalHeight: @Sendable () -> Int?
    /// The columns of the terminal that shows the errors; `nil` if they go elsewhere.
    package var errorWidth: @Sendable () -> Int?
    /// Whether the output is a file, which nobody looks at meanwhile.
    package var isOutputFile: @Sendable () -> Bool
    /// Makes the run end as soon as the reader of the output ends. A command that follows a quiet stream writes too
    /// rarely to notice.
    package var endWithReader: @Sendable () -> Void
    /// Gives the run time to end when it is interrupted, since it has something to remove then and notices soon.
    package var endByItself: @Sendable () -> Void
    /// Starts a pager that writes to the same output; `nil` if it cannot be started.
    package var startPager: @Sendable (Pager) -> RunningPager?
    /// Whether the output goes through a pager.
    package var isPaged = false
    /// The folder of glossctl; `nil` if it cannot be determined.
    package var programFolder: @Sendable () -> String?
    /// Replaces this process by a program, whose arguments begin with its name. Returns only in tests.
    package var become: @Sendable (_ path: String, _ arguments: [String]) throws -> Void
    package var zone: Zone
    /// The current time, in microseconds since 1970.
    package var now: @Sendable () -> UInt64

    package init(
        environment: [String: String], output: ByteSink, errors: ByteSink,
        input: @escaping @Sendable () throws -> [UInt8] = { [] },
        lineEditor: @escaping @Sendable () -> LineEditor? = { nil },
        terminalWidth: @escaping @Sendable () -> Int? = { nil },
        terminalHeight: @escaping @Sendable () -> Int? = { nil },
        isOutputFile: @escaping @Sendable () -> Bool = { false },
        errorWidth: @escaping @Sendable () -> Int? = { nil },
        endWithReader: @escaping @Sendable () -> Void = {},
        endByItself: @escaping @Sendable () -> Void = {},
        startPager: @escaping @Sendable (Pager) -> RunningPager? = { _ in nil },
        programFolder: @escaping @Sendable () -> String? = { nil },
        become: @escaping @Sendable (_ path: String, _ arguments: [String]) throws -> Void = { _, _ in },
        zone: Zone = .utc,
        now: @escaping @Sendable () -> UInt64
    ) {
        self.environment = environment
        self.output = output
        self.errors = errors
        self.input = input
        self.lineEditor = lineEditor
        self.terminalWidth = terminalWidth
        self.terminalHeight = terminalHeight
        self.isOutputFile = isOutputFile
        self.errorWidth = errorWidth
        self.endWithReader = endWithReader
        self.endByItself = endByItself
        self.startPager = startPager
        self.programFolder = programFolder
        self.become = become
        self.zone = zone
        self.now = now
    }

    func print(_ text: String) throws {
        try output.write(Array(text.utf8))
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
