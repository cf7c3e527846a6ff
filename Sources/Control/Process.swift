import ArgumentParser
import Dispatch
import Glibc
import Model

extension Glossctl {
    /// Runs the command line of the process, and exits with its status.
    package static func runProcess() -> Never {
        // Not in an `async` main function: Dispatch would already have used the closed descriptors.
        occupyStandardDescriptors()
        if CommandLine.arguments.dropFirst().first == "---completion" { complete() }
        let signals = blockEndingSignals()
        let thread = CommandThread()
        Task(executorPreference: thread) { await runToEnd(on: thread, endedBy: signals) }
        thread.run()
    }

    /// Answers a shell that asks for completions. They block, so that this must not run on a thread that tasks need.
    private static func complete() -> Never {
        do {
            _ = try parseAsRoot(Array(CommandLine.arguments.dropFirst()))
        } catch {
            if exitCode(for: error).isSuccess { print(fullMessage(for: error)) }
        }
        Glibc.exit(0)
    }

    private static func runToEnd(on thread: CommandThread, endedBy signals: [Int32]) async -> Never {
        // A closed output then is an error of write(2), which ends the run silently, and so is a file that is as long as it may be.
        let ignored = [SIGPIPE, SIGXFSZ].filter { !isIgnored($0) }
        for number in ignored { signal(number, SIG_IGN) }
        let pager = PagerProcess()
        let ending = Ending(on: thread)
        let console = Console.process(pager, ending, ignoring: ignored)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let task = Task(executorPreference: thread) { await run(arguments, on: console) }
        pager.onEarlyQuit { task.cancel() }
        let sources = signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Ctrl-C is for the pager, which receives the signal, too.
                guard number != SIGINT || !pager.isRunning else { return }
                if number == SIGINT, ending.interruptPart() { return }
                ending.begin(by: number)
                pager.terminate()
                task.cancel()
                endSoon(ending, by: number)
            }
            source.resume()
            return source
        }
        var status = await task.value.rawValue
        let number = ending.number
        if status == Outcome.interrupted.rawValue, number != 0 { status = 128 + number }
        endLine(after: number)
        // Dispatch would start a thread to release the sources.
        withExtendedLifetime(sources) { Glibc.exit(status) }
    }

    /// Has the signals that end a run wait until Dispatch takes them, which is only when another of its threads has come to
    /// that. Threads that are started later do the same. What the caller ignores, as nohup(1) does and a shell for a command
    /// in the background, stays ignored.
    private static func blockEndingSignals() -> [Int32] {
        let numbers = [SIGINT, SIGTERM, SIGHUP].filter { !isIgnored($0) }
        var blocked = sigset_t()
        sigemptyset(&blocked)
        for number in numbers { sigaddset(&blocked, number) }
        pthread_sigmask(SIG_BLOCK, &blocked, nil)
        return numbers
    }

    /// Whether the process was started to ignore a signal, as by nohup(1).
    static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        // Functions cannot be compared.
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Opens the standard descriptors that the caller has closed, as with `>&-`; otherwise the socket would become
    /// standard output. The files are open for the other direction, so that using them fails.
    private static func occupyStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Ends the line on which the terminal has shown ^C, behind which the shell would go on.
    private static func endLine(after signal: Int32) {
        if signal == SIGINT, isatty(STDERR_FILENO) == 1 { _ = write(STDERR_FILENO, "\n", 1) }
    }

    /// Exits if a system call, such as a read of standard input, does not notice the cancellation. The status is that
    /// of a process ended by a signal; raising the signal again does not work, since the threads of Dispatch block
    /// signals.
    private static func endSoon(_ ending: Ending, by number: Int32) {
        let exit: @Sendable () -> Void = {
            LineEditor.restoreTerminal()
            endLine(after: number)
            _exit(128 + number)
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) {
            // It may have begun only now what has to be removed.
            guard ending.leavesTime else { return exit() }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10), execute: exit)
        }
    }
}
