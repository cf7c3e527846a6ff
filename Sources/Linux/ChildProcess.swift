internal import CLinux
internal import Glibc
internal import Model
internal import Synchronization

/// A program that this process has started, with a way to write to it and one to read from it. All calls but `kill` and
/// `isRunning` block.
package final class ChildProcess: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package enum End: Sendable, Hashable {
        case status(Int32)
        case signal(Int32)
    }

    /// `nil` once it has ended and was waited for: another process may have its number then.
    private let pid: Mutex<pid_t?>
    private let input: Mutex<Int32?>
    private let output: Int32?
    private let isKilled = Atomic(false)

    /// Whether `kill` ends what it has started, too.
    private let hasGroup: Bool

    /// Starts a program. It gets no other files than its standard ones, of which stderr leads nowhere, and of the environment
    /// only what is given.
    /// - Parameters:
    ///   - hasGroup: whether it gets a process group of its own, which `kill` ends as a whole.
    ///   - hasOutput: whether its stdout can be read; else it leads nowhere.
    package init(
        _ path: String, _ arguments: [String] = [], environment: [String] = [], hasGroup: Bool = false,
        hasOutput: Bool = true
    ) throws(Failure) {
        self.hasGroup = hasGroup
        // If it is ignored, as a parent may have left it, the system forgets how programs end.
        signal(SIGCHLD, SIG_DFL)
        // Pipes, because a program can open /dev/stdin only if that is no socket.
        var (inputs, outputs) = ([Int32](repeating: -1, count: 2), [Int32](repeating: -1, count: 2))
        guard pipe2(&inputs, O_CLOEXEC) == 0 else {
            throw Failure(description: "\(path): \(errnoText(errno))")
        }
        // Only this end of the pipe, so that the program reads as it is used to.
        _ = fcntl(inputs[1], F_SETFL, O_NONBLOCK)
        guard !hasOutput || pipe2(&outputs, O_CLOEXEC) == 0 else {
            let reason = errnoText(errno)
            for descriptor in inputs { close(descriptor) }
            throw Failure(description: "\(path): \(reason)")
        }
        let (pid, code) = Self.spawn(
            [path] + arguments, environment, input: inputs[0], output: hasOutput ? outputs[1] : nil, hasGroup: hasGroup)
        close(inputs[0])
        if hasOutput { close(outputs[1]) }
        self.pid = Mutex(code == 0 ? pid : nil)
        input = Mutex(inputs[1])
        output = hasOutput ? outputs[0] : nil
        // Now that all is set, the descriptors are closed with this object.
        guard code == 0 else { throw Failure(description: "\(path): \(errnoText(code))") }
    }

    private static func spawn(
        _ command: [String], _ environment: [String], input: Int32, output: Int32?, hasGroup: Bool
    ) -> (pid_t, Int32) {
        var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        // Signals do there what they usually do.
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let group = hasGroup ? POSIX_SPAWN_SETPGROUP : 0
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | group))
        var arguments = command.map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawn(&pid, command[0], &actions, &attributes, &arguments, &variables)
        return (pid, code)
    }

    deinit {
        end()
        finish()
        if let output { close(output) }
    }

    /// Ends the program, and waits until it has ended.
    package func end() {
        kill()
        _ = wait()
    }

    /// After how many milliseconds `write` looks whether there was a `kill`.
    private static let patience: Int32 = 50

    /// Writes to the program's stdin. What the program has started may keep that open and not read it, even after `kill`.
    /// - Returns: `false` if nobody reads it any more, or the program was ended by `kill`.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        let descriptor = input.withLock { $0 } ?? -1
        return Self.withoutBrokenPipes {
            bytes.withUnsafeBytes { bytes in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress
                    let written = Glibc.write(descriptor, start, rest.count)
                    if written < 0, errno == EINTR { continue }
                    if written < 0, errno == EAGAIN, !isKilled.load(ordering: .relaxed) {
                        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                        poll(&room, 1, Self.patience)
                        continue
                    }
                    guard written > 0 else { return false }
                    rest = rest.dropFirst(written)
                }
                return true
            }
        }
    }

    /// Keeps the signal away that would end this process because nobody reads what it writes to a pipe. This thread gets it, so
    /// that others are not concerned.
    private static func withoutBrokenPipes<Result>(_ body: () -> Result) -> Result {
        var (broken, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        sigpending(&pending)
        pthread_sigmask(SIG_BLOCK, &broken, &before)
        let result = body()
        var now = timespec()
        // One that was there before is not of this pipe.
        if sigismember(&pending, SIGPIPE) == 0 { while sigtimedwait(&broken, nil, &now) < 0, errno == EINTR {} }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }

    /// Closes the program's stdin.
    package func finish() {
        input.withLock { input in
            if let input { close(input) }
            input = nil
        }
    }

    /// Reads what the program has written to stdout.
    /// - Returns: at most so many bytes; none at the end.
    package func read(atMost count: Int) -> [UInt8] {
        guard let output else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while true {
                let count = Glibc.read(output, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                filled = max(0, count)
                return
            }
        }
    }

    /// Ends the program, if it still runs. Does not block.
    package func kill() {
        isKilled.store(true, ordering: .relaxed)
        pid.withLock { pid in if let pid { _ = Glibc.kill(hasGroup ? -pid : pid, SIGKILL) } }
    }

    /// Whether the program has not ended yet. Does not block.
    package var isRunning: Bool {
        pid.withLock { pid in
            guard let pid else { return false }
            var information = siginfo_t()
            // It is a zombie then, and stays one.
            return waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT | WNOHANG) == 0
                && information._sifields._kill.si_pid == 0
        }
    }

    /// Waits until the program has ended.
    /// - Returns: `nil` if that is known already, or cannot be known.
    package func wait() -> End? {
        guard let running = pid.withLock({ $0 }) else { return nil }
        var information = siginfo_t()
        // It stays a zombie until its number is forgotten here, so that `kill` never meets another process.
        while waitid(P_PID, id_t(running), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        return pid.withLock { pid in
            guard pid != nil else { return nil }
            pid = nil
            var status: Int32 = 0
            while waitpid(running, &status, 0) < 0 { guard errno == EINTR else { return nil } }
            return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
        }
    }
}
