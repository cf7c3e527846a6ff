import Model
import Synchronization

/// The program that shows long output a screen at a time.
/// - Source: journalctl(1), "Environment", of which the names and defaults are taken over: SYSTEMD_PAGER, SYSTEMD_LESS
package struct Pager: Sendable, Equatable {
    /// The program and its arguments.
    package let words: [String]
    /// What its environment has besides that of this process.
    package let environment: [String: String]

    /// less quits if all fits on one screen (F) or at Ctrl-C (K), shows colours and nothing else that a terminal acts on (R),
    /// leaves the screen as it is (X), and says where it is (M). Unlike systemd's, it does not chop long lines (S): lines
    /// are made to fit, but for long names, which are to be seen as a whole.
    package static let lessOptions = "FRXMK"

    /// - Returns: `nil` where none is wanted, or the terminal cannot show one.
    package init?(_ environment: [String: String]) {
        guard let terminal = environment["TERM"], !terminal.isEmpty, terminal != "dumb" else { return nil }
        let command = environment["GLOSS_PAGER"] ?? environment["PAGER"] ?? "less"
        words = command.split(separator: " ").map(String.init)
        guard let program = words.first, program != "cat" else { return nil }
        self.environment = [
            "LESS": environment["GLOSS_LESS"] ?? Self.lessOptions,
            "LESSCHARSET": environment["LESSCHARSET"] ?? "utf-8",
            // No shell, editor or file from within less: what it shows came from elsewhere.
            "LESSSECURE": "1",
        ]
    }
}

/// A pager that was started.
package struct RunningPager: Sendable {
    /// Throws `ByteSink.Closed` when the pager has ended.
    package let output: ByteSink
    /// Ends what it is to show, and returns when it has ended.
    package let end: @Sendable () -> Void
    /// Whether it has ended before all was shown.
    package let wasLeft: @Sendable () -> Bool
}

/// The output of one command through a pager, which starts with the first byte. Errors wait until it has ended: they would be
/// written over what it shows.
final class PagedOutput: Sendable {
    private struct State {
        var hasBegun = false
        var pager: RunningPager?
        var errors: [UInt8] = []
    }

    private let inner: Console
    private let pager: Pager
    private let state = Mutex(State())

    /// - Returns: `nil` where the output does not go to a terminal, or no pager is wanted.
    init?(of command: any PagedCommand, on console: Console) {
        guard command.isPaged, !command.pager.noPager, console.terminalWidth() != nil,
            let pager = Pager(console.environment)
        else { return nil }
        inner = console
        self.pager = pager
    }

    /// What the command is to write to.
    var console: Console {
        var console = inner
        console.isPaged = true
        console.output = ByteSink { [self] in try output().write($0) }
        console.errors = ByteSink { [self] bytes in
            let waits = state.withLock { state in
                if state.pager != nil { state.errors += bytes }
                return state.pager != nil
            }
            if !waits { try inner.errors.write(bytes) }
        }
        return console
    }

    /// Whether the reader left the pager before all was shown.
    var wasLeft: Bool { state.withLock { $0.pager }?.wasLeft() ?? false }

    /// Returns when the reader has left the pager.
    func end() {
        state.withLock { $0.pager }?.end()
        let errors = state.withLock { $0.errors }
        if !errors.isEmpty { try? inner.errors.write(errors) }
    }

    /// The pager, or the terminal itself where it cannot be started.
    private func output() -> ByteSink {
        state.withLock { state in
            if !state.hasBegun {
                state.hasBegun = true
                state.pager = inner.startPager(pager)
            }
            return state.pager?.output ?? inner.output
        }
    }
}
