import Glibc
import Linux
import SQL

/// What glossd and glossctl have another process do: `gloss-sql run STORE` runs one statement, `gloss-sql write FILE` writes a
/// new file of SQLite, and `gloss-sql replace FILE` one that may be there.
@main
enum GlossSQL {
    private static let usage =
        "gloss-sql is a part of glossd and glossctl: see glossctl sql --help and glossctl export --help\n"

    static func main() {
        silenceDispatch()
        keepFreedMemory()
        let words = CommandLine.arguments.dropFirst()
        switch (words.first, words.count) {
        case ("run", 2): exit(SQLWorker.run(store: words[2]))
        case ("write", 2): exit(SQLiteExport.run(path: words[2], replaces: false))
        case ("replace", 2): exit(SQLiteExport.run(path: words[2], replaces: true))
        default:
            _ = write(STDERR_FILENO, usage, usage.utf8.count)
            exit(2)
        }
    }
}
