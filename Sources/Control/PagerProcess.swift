import Dispatch
import FoundationEssentials
import Glibc
import Synchronization

/// The pager of this process. There is at most one.
final class PagerProcess: Sendable {
    private enum State {
        case none
        case running(pid_t)
        case ended
    }

    private struct Shared {
        var state = State.none
        /// Bytes that are not in the pipe yet.
        var waiting = 0
        /// Bytes that are, or were, in the pipe; `begun` has those as well that are being written.
        var (begun, written) = (0, 0)
        /// Whether the output has ended. Bytes may still be waiting.
        var isComplete = false
        var wasQuitEarly = false
        /// The status with which the pager ended before it read anything.
        var failure: Int32?
        var onEarlyQuit: (@Sendable () -> Void)?
    }

    /// The maximum number of bytes that wait for the pager. Output continues while the pager shows its first screen, because
    /// the daemon closes connections whose clients do not read for half a minute.
    private static let maximumWaiting = 64 << 20
    /// What a pipe takes as a whole or not at all, so that it is known how much is in it.
    /// - Source: pipe(7), PIPE_BUF
    private static let wholeBytes = 4096

    private let shared = Mutex(Shared())
    private let queue = DispatchQueue(label: "pager")
    private let ended = DispatchSemaphore(value: 0)

    var isRunning: Bool {
        shared.withLock {
            if case .running = $0.state { true } else { false }
        }
    }

    /// - Parameter body: called if the pager ends before all bytes were written.
    func onEarlyQuit(_ body: @escaping @Sendable () -> Void) { shared.withLock { $0.onEarlyQuit = body } }

    /// Terminates the pager, which restores the terminal.
    func terminate() {
        shared.withLock { if case .running(let pid) = $0.state { kill(pid, SIGTERM) } }
    }

    /// - Returns: `nil` if it cannot be started, for example because it is not installed.
    func start(_ pager: Pager) -> RunningPager? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // Nothing else is started meanwhile.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (input, output) = (ends[0], ends[1])
        // Whether Ctrl-Z stops anything is for the pager to say: less ignores it where it may start no shell.
        let stops = !Glossctl.isIgnored(SIGTSTP)
        signal(SIGTSTP, SIG_IGN)
        guard let pid = Self.spawn(pager, input: input, stops: stops) else {
            if stops { signal(SIGTSTP, SIG_DFL) }
            for end in ends { close(end) }
            return nil
        }
        shared.withLock { $0.state = .running(pid) }
        DispatchQueue.global().async { [self] in waitForEnd(of: pid, input: input, stops: stops) }
        let sink = ByteSink.file(output, "the pager")
        return RunningPager(
            output: ByteSink { [self] in try write($0, to: sink) },
            end: { [self] in
                shared.withLock { $0.isComplete = true }
                queue.sync { _ = close(output) }
                ended.wait()
            },
            wasQuitEarly: { [self] in shared.withLock { $0.wasQuitEarly } },
            failure: { [self] in shared.withLock { $0.failure } })
    }

    private func write(_ bytes: [UInt8], to sink: ByteSink) throws {
        // It polls, since the wait also ends with the pager. It is rare: only a pager that is not read leaves so much waiting.
        while isRunning, shared.withLock({ $0.waiting }) > Self.maximumWaiting { usleep(20_000) }
        guard isRunning else { throw ByteSink.Closed() }
        shared.withLock { $0.waiting += bytes.count }
        queue.async { [self] in
            for start in stride(from: 0, to: bytes.count, by: Self.wholeBytes) {
                let part = bytes[start...].prefix(Self.wholeBytes)
                shared.withLock { $0.begun += part.count }
                // The end of the pager is noticed elsewhere.
                let isWritten = (try? sink.write(Array(part))) != nil
                shared.withLock {
                    $0.waiting -= part.count
                    if isWritten { $0.written += part.count }
                }
            }
        }
    }

    /// - Parameter input: what the pager reads, which is closed when it has ended: then writing to it fails.
    private func waitForEnd(of pid: pid_t, input: Int32, stops: Bool) {
        // The process is reaped only after `terminate` can no longer signal it: its id may then be used again.
        var info = siginfo_t()
        while true {
            let result = waitid(P_PID, id_t(pid), &info, WEXITED | WSTOPPED | WNOWAIT)
            if result == 0, info.si_code == CLD_STOPPED {
                Self.stop(with: pid)
            } else if result == 0 || errno != EINTR {
                break
            }
        }
        if stops { signal(SIGTSTP, SIG_DFL) }
        let hasRead = hasRead(input)
        close(input)
        let onEarlyQuit = shared.withLock { shared in
            shared.state = .ended
            shared.wasQuitEarly = !shared.isComplete
            return shared.wasQuitEarly ? shared.onEarlyQuit : nil
        }
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        shared.withLock { shared in
            let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 0
            if code != 0, !hasRead { shared.failure = code }
        }
        ended.signal()
        onEarlyQuit?()
    }

    /// Whether the pager has read anything of what was written, while writing may go on.
    private func hasRead(_ input: Int32) -> Bool {
        while true {
            let before = shared.withLock { ($0.begun, $0.written) }
            var unread: Int32 = 0
            _ = ioctl(input, UInt(FIONREAD), &unread)
            // A part that is being written is there, or not.
            guard shared.withLock({ ($0.begun, $0.written) }) == before else { continue }
            return Int(unread) != before.0 && Int(unread) != before.1
        }
    }

    /// Stops this process if the pager is stopped, so that the shell sees it. What the shell continues is both.
    private static func stop(with pid: pid_t) {
        // Nothing is there to be taken if the pager goes on by now.
        var info = siginfo_t()
        if waitid(P_PID, id_t(pid), &info, WSTOPPED | WNOHANG) == 0, info.si_signo == SIGCHLD {
            kill(getpid(), SIGSTOP)
        }
    }

    /// Resets what the pager would inherit: ignored signals and the signal mask of the thread.
    /// - Source: posix_spawn(3), signal(7)
    /// - Parameter stops: whether Ctrl-Z may stop it.
    private static func spawn(_ pager: Pager, input: Int32, stops: Bool) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        var (none, handled) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigemptyset(&handled)
        for number in [SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP] { sigaddset(&handled, number) }
        if stops { sigaddset(&handled, SIGTSTP) }
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &handled)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        let environment = ProcessInfo.processInfo.environment.merging(pager.environment) { $1 }
        let words = pager.words.map { strdup($0) }
        let variables = environment.map { strdup("\($0.key)=\($0.value)") }
        defer { (words + variables).forEach { free($0) } }
        var pid: pid_t = 0
        return posix_spawnp(&pid, pager.words[0], &actions, &attributes, words + [nil], variables + [nil]) == 0
            ? pid : nil
    }
}
