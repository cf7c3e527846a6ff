import Control

@main
enum Main {
    static func main() {
        Glossctl.runProcess()
    }
}
