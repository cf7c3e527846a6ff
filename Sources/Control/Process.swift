import Dispatch
import Glibc

extension Glossctl {
    /// Runs the process's own command line.
    /// - Returns: the exit status.
    package static func runProcess() async -> Int32 {
        // A reader that leaves is then an error of write(2), which ends us without a word.
        signal(SIGPIPE, SIG_IGN)
        let console = Console.process()
        let arguments = Array(CommandLine.arguments.dropFirst())
        let task = Task { await run(arguments, on: console) }
        let sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                task.cancel()
                endSoon(by: number)
            }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return await task.value.rawValue
    }

    /// What waits in a system call, such as a read of standard input, does not notice that its task was cancelled. It ends
    /// as shells report a signal: raising it again would not do, since Dispatch's threads block signals.
    private static func endSoon(by number: Int32) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { _exit(128 + number) }
    }
}
