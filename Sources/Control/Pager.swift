import Model
import Synchronization

/// The program that shows long output a screen at a time.
/// - Source: journalctl(1), "Environment": SYSTEMD_PAGER, SYSTEMD_LESS and their defaults
struct Pager: Sendable, Equatable {
    /// The program and its arguments.
    let words: [String]
    /// Variables that are added to its environment.
    let environment: [String: String]

    /// Options of less: quit if everything fits on one screen (F) or at Ctrl-C (K), show colours but no other control
    /// sequences (R), do not clear the screen (X), and show the position (M). Unlike systemd, do not chop long lines
    /// (S): only lines with long names are longer than the terminal, and those names should be visible.
    static let lessOptions = "FRXMK"

    /// - Returns: `nil` if no pager is wanted, or the terminal does not support one.
    init?(_ environment: [String: String]) {
        guard let terminal = environment["TERM"], !terminal.isEmpty, terminal != "dumb" else { return nil }
        let command = environment["GLOSS_PAGER"] ?? environment["PAGER"] ?? "less"
        words = command.split(separator: " ").map(String.init)
        guard let program = words.first, program != "cat" else { return nil }
        self.environment = [
            "LESS": environment["GLOSS_LESS"] ?? Self.lessOptions,
            "LESSCHARSET": environment["LESSCHARSET"] ?? "utf-8",
            // Disables shells, editors and files in less, since its text is untrusted.
            "LESSSECURE": "1",
        ]
    }
}

/// A pager that was started.
struct RunningPager: Sendable {
    /// Writes to the pager; throws `ByteSink.Closed` if it has ended.
    let output: ByteSink
    /// Ends the input of the pager and returns when the pager has ended.
    let end: @Sendable () -> Void
    /// Whether the pager has ended before the end of its input.
    let wasQuitEarly: @Sendable () -> Bool
    /// The status with which the pager ended before it read anything; `nil` if it read something, or ended well.
    let failure: @Sendable () -> Int32?
}

/// The output of one command through a pager, which starts with the first byte. Errors are kept until it has ended, so
/// that they do not overwrite its text.
final class PagedOutput: Sendable {
    private struct State {
        var hasBegun = false
        var pager: RunningPager?
        var errors: [UInt8] = []
    }

    private let inner: Console
    private let pager: Pager
    private let state = Mutex(State())

    /// - Returns: `nil` if the output does not go to a terminal, or the environment wants no pager.
    init?(on console: Console) {
        guard console.terminalWidth() != nil, let pager = Pager(console.environment) else { return nil }
        inner = console
        self.pager = pager
    }

    /// The console for the command.
    var console: Console {
        var console = inner
        console.isPaged = true
        console.output = ByteSink { [self] bytes in
            guard !bytes.isEmpty else { return }
            try output().write(bytes)
        }
        console.errors = ByteSink { [self] bytes in
            let waits = state.withLock { state in
                if state.pager != nil { state.errors += bytes }
                return state.pager != nil
            }
            if !waits { try inner.errors.write(bytes) }
        }
        return console
    }

    /// Whether the pager has ended before the end of its input.
    var wasQuitEarly: Bool { state.withLock { $0.pager }?.wasQuitEarly() ?? false }

    /// Returns when the pager has ended.
    func end() {
        let running = state.withLock { $0.pager }
        running?.end()
        if let status = running?.failure() {
            inner.complain(
                """
                the pager \(pager.words.joined(separator: " ")) ended with status \(status) before it read anything
                GLOSS_PAGER and PAGER name a program and its arguments, without a shell. --no-pager uses none.
                """)
        }
        let errors = state.withLock { $0.errors }
        if !errors.isEmpty { try? inner.errors.write(errors) }
    }

    /// Returns the pager, or the terminal if the pager cannot be started.
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
