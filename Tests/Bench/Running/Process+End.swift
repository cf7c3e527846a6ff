import Foundation
import Glibc

extension Process {
    /// Ends the program; one that does not end within ten seconds is killed.
    func end() {
        terminate()
        waitToEnd(atMost: .seconds(10))
    }

    /// Kills the process if it runs for longer. It polls rather than waits: on Linux `waitUntilExit` may wait for ever on another
    /// thread than the one that started the program.
    func waitToEnd(atMost limit: Duration) {
        let end = ContinuousClock.now + limit
        while isRunning, ContinuousClock.now < end { usleep(10_000) }
        if isRunning { kill(processIdentifier, SIGKILL) }
        // A killed process ends at once.
        while isRunning { usleep(10_000) }
    }
}
