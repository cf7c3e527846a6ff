import Control

@main
enum Entry {
    static func main() {
        Glossctl.runProcess()
    }
}
