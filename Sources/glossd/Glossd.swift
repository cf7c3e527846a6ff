import Daemon
import Dispatch
import Glibc
import Linux

@main
enum Glossd {
    /// Not an `async` function: Dispatch would have started a thread before it.
    static func main() {
        silenceDispatch()
        Task {
            await GlossdCommand.run()
            exit(0)
        }
        dispatchMain()
    }
}
