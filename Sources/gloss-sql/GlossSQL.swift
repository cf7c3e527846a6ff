import Glibc
import SQL

@main
enum Main {
    static func main() {
        exit(SQLWorker.run())
    }
}
