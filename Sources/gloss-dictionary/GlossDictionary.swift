import ArgumentParser
import DictionaryTool

@main
struct GlossDictionary {
    static func main() async { await DictionaryCommand.main() }
}
