import Daemon
import Linux

@main
enum Glossd {
    static func main() async {
        silenceDispatch()
        await GlossdCommand.run()
    }
}
