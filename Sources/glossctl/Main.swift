import Control
import Linux

@main
enum Main {
    static func main() {
        silenceDispatch()
        Glossctl.runProcess()
    }
}
