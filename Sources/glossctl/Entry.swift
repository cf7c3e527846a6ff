import Control
import Glibc

@main
enum Entry {
    static func main() async {
        exit(await Glossctl.runProcess())
    }
}
