import Dispatch
import Glibc
import Linux
import Model
import Synchronization

extension Console {
    /// The console of the process.
    /// - Parameter ignored: the signals that this process ignores, and its caller did not.
    static func process(_ pager: PagerProcess, _ ending: Ending, ignoring ignored: [Int32]) -> Console {
        // Four times as much as usual: a long answer takes an eighth less time.
        widenPipe(STDOUT_FILENO, toHold: 256 << 10)
        return Console(
            environment: processEnvironment(), output: .file(STDOUT_FILENO, "standard output"),
            errors: .file(STDERR_FILENO, "standard error"),
            input: { () throws(FileError) in try ByteSource.next(STDIN_FILENO, "standard input") },
            lineEditor: {
                isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 ? .process(history: historyFile()) : nil
            },
            terminalWidth: { size(of: STDOUT_FILENO)?.columns }, terminalHeight: { size(of: STDOUT_FILENO)?.lines },
            continuations: { Continuations.number },
            isOutputFile: {
                var status = stat()
                return fstat(STDOUT_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            },
            errorWidth: { size(of: STDERR_FILENO)?.columns }, endWithReader: { watchStandardOutput() },
            endByItself: { ending.leaveTime() }, runInterruptible: { try await ending.runInterruptible($0) },
            startPager: { pager.start($0) }, programFolder: { Linux.programFolder() },
            become: { path, arguments in throw replaceProcess(path, arguments, ignored) }, zone: .local,
            now: wallClock)
    }

    /// Ends `glossctl tail | head -1` when head ends.
    /// - Source: poll(2): POLLERR is set for the write end of a pipe whose read end was closed
    private static func watchStandardOutput() {
        DispatchQueue(label: "standard output").async {
            var poll = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
            while Glibc.poll(&poll, 1, -1) < 0, errno == EINTR {}
            if poll.revents & Int16(POLLERR | POLLHUP) != 0 { _exit(Outcome.done.rawValue) }
        }
    }

    /// Resets what the program would inherit of this process: ignored signals and the signal mask of the thread.
    /// - Returns: the reason why the program did not start.
    /// - Source: execve(2), signal(7)
    private static func replaceProcess(_ path: String, _ arguments: [String], _ ignored: [Int32]) -> FileError {
        for number in ignored { signal(number, SIG_DFL) }
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        let words = arguments.map { strdup($0) }
        defer { words.forEach { free($0) } }
        execv(path, words + [nil])
        return FileError(call: "execv", errno: errno)
    }

    /// Where statements are remembered.
    private static func historyFile() -> String? {
        folder("XDG_STATE_HOME", orInHome: ".local/state", processEnvironment()).map { "\($0)/gloss/sql_history" }
    }

    /// Returns the folder that a variable of the environment names, or a usual one; `nil` if the environment has neither.
    /// - Source: XDG Base Directory Specification: a relative path is ignored
    static func folder(_ variable: String, orInHome usual: String, _ environment: [String: String]) -> String? {
        if let folder = environment[variable], folder.hasPrefix("/") { return folder }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(usual)"
    }

    /// - Returns: `nil` if it is not a terminal.
    private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? (Int(size.ws_col), max(2, Int(size.ws_row))) : (80, 24)
    }

    static func processEnvironment() -> [String: String] {
        let names = [
            "GLOSS_LESS", "GLOSS_PAGER", "GLOSS_SOCKET", "HOME", "LESSCHARSET", "NO_COLOR", "PAGER", "PATH", "TERM",
            "XDG_CONFIG_HOME", "XDG_STATE_HOME",
        ]
        var result = [String: String](minimumCapacity: names.count)
        for name in names {
            if let value = getenv(name) { result[name] = String(cString: value) }
        }
        return result
    }
}

/// Counts how often the process was continued.
private enum Continuations {
    private static let count = Atomic(0)
    /// A handler and no source of Dispatch, which would count later: it runs before what the process was stopped in goes on.
    private static let isCounting: Void = {
        _ = count.load(ordering: .relaxed)
        signal(SIGCONT) { _ in count.add(1, ordering: .relaxed) }
    }()

    static var number: Int {
        _ = isCounting
        return count.load(ordering: .relaxed)
    }
}
