import Model

/// Everything that a run of glossctl meets outside itself. Tests hand in their own.
package struct Console: Sendable {
    package var environment: [String: String]
    package var output: ByteSink
    package var errors: ByteSink
    /// The next bytes of standard input; empty at its end.
    package var input: @Sendable () throws -> [UInt8]
    /// The columns of the terminal that the output goes to; `nil` when it goes elsewhere.
    package var terminalWidth: @Sendable () -> Int?
    /// The columns of the terminal that the errors go to; `nil` when they go elsewhere.
    package var errorWidth: @Sendable () -> Int?
    /// From now on, the run ends as soon as nobody reads the output any more: what follows a quiet stream writes too
    /// seldom to notice.
    package var endWithReader: @Sendable () -> Void
    /// Starts a pager, whose output is this one's; `nil` where it cannot be started.
    package var startPager: @Sendable (Pager) -> RunningPager?
    /// Whether the output goes through a pager.
    package var isPaged = false
    /// The folder that glossctl itself lies in; `nil` where that cannot be told.
    package var programFolder: @Sendable () -> String?
    /// Runs a program in the place of this process, with the arguments from the program's name on. Comes back only in
    /// tests.
    package var become: @Sendable (_ path: String, _ arguments: [String]) throws -> Void
    package var zone: Zone
    /// Microseconds since 1970.
    package var now: @Sendable () -> UInt64

    package init(
        environment: [String: String], output: ByteSink, errors: ByteSink,
        input: @escaping @Sendable () throws -> [UInt8] = { [] },
        terminalWidth: @escaping @Sendable () -> Int? = { nil },
        errorWidth: @escaping @Sendable () -> Int? = { nil },
        endWithReader: @escaping @Sendable () -> Void = {},
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
        self.terminalWidth = terminalWidth
        self.errorWidth = errorWidth
        self.endWithReader = endWithReader
        self.startPager = startPager
        self.programFolder = programFolder
        self.become = become
        self.zone = zone
        self.now = now
    }

    func print(_ text: String) throws {
        try output.write(Array(text.utf8))
    }

    /// One message for people; that nobody reads it any more is no reason to stop.
    func complain(_ message: String) {
        writeError("glossctl: \(message)")
    }

    /// All that is written to the errors comes through here: it may repeat words of the command line.
    func writeError(_ text: String) {
        try? errors.write(Array((SafeText.neutralised(text, keepingLines: true) + "\n").utf8))
    }
}
