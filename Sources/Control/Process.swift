import Dispatch
import Glibc

extension Glossctl {
    /// Runs the process's own command line, and ends with its status.
    package static func runProcess() -> Never {
        // Not behind an `async` main function: Dispatch would have taken the closed descriptors by then.
        occupyStandardDescriptors()
        Task { exit(await runToEnd()) }
        dispatchMain()
    }

    private static func runToEnd() async -> Int32 {
        // A reader that leaves is then an error of write(2), which ends us without a word.
        signal(SIGPIPE, SIG_IGN)
        let pager = PagerProcess()
        let console = Console.process(pager)
        let arguments = Array(CommandLine.arguments.dropFirst())
        let task = Task { await run(arguments, on: console) }
        pager.whenLeft { task.cancel() }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                // Ctrl-C is the pager's: it has got the signal too, and ends or not.
                guard number != SIGINT || !pager.isRunning else { return }
                pager.terminate()
                task.cancel()
                endSoon(by: number)
            }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return await task.value.rawValue
    }

    /// What was started with `>&-` would open the daemon's socket as its standard output. The files that take the closed
    /// places fail as those do: they are open for the other direction.
    private static func occupyStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free is that one.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// What waits in a system call, such as a read of standard input, does not notice that its task was cancelled. It ends
    /// as shells report a signal: raising it again would not do, since Dispatch's threads block signals.
    private static func endSoon(by number: Int32) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { _exit(128 + number) }
    }
}
