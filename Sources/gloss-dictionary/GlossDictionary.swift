import DictionaryTool
import Linux

@main
struct GlossDictionary {
    static func main() async {
        silenceDispatch()
        await DictionaryCommand.main()
    }
}
