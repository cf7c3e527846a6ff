import Daemon

@main
enum Glossd {
    static func main() async {
        await GlossdCommand.run()
    }
}
