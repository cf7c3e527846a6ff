import Dispatch
import DictionaryTool
import Linux

@main
enum GlossDictionary {
    /// Not an `async` function: Dispatch would have started a thread before it.
    static func main() {
        silenceDispatch()
        Task { await DictionaryCommand.main() }
        dispatchMain()
    }
}
