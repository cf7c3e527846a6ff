import API
import ArgumentParser
import Model

struct ExportCommand: FilteredCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", _superCommandName: Glossctl.name,
        abstract: "Write events and definitions to a plain SQLite file, or to CSV files.",
        usage: "glossctl export (--sqlite <file> | --csv <folder>) [<predicate>] [<options>]",
        discussion: """
            Writes the tables of glossctl sql: events, violations, warnings, gaps, definitions, and one for each \
            definition, with its parameters as columns. The SQLite file is for the sqlite3 shell, DB Browser, Datasette, \
            Grafana or pandas; descriptions are comments in its schema, and rows of the table gloss_columns. The folder \
            gets one file for each table, and columns.csv with the descriptions.

            Events that arrive meanwhile are not in it. Progress is shown on a terminal. What is not complete is not left \
            behind; nothing is written if no event matches the filters.

            \(Outcome.help)

            Examples:
              glossctl export --sqlite events.sqlite
              glossctl export --sqlite bad.sqlite 'resolution == violating' --last 7d
              glossctl export --csv events --event 'recipe_detail/*'
            """)

    @Argument(help: .predicate, completion: Completions.predicate)
    var predicate: String?

    @Option(
        name: .long, help: ArgumentHelp("The SQLite file to write.", valueName: "file"), completion: .file())
    var sqlite: String?

    @Option(
        name: .long, help: ArgumentHelp("The folder to write CSV files into.", valueName: "folder"),
        completion: .directory)
    var csv: String?

    @Flag(name: .long, help: "Replace the file, or files in the folder, that are there already.")
    var force = false

    @OptionGroup(title: "Filters") var filters: FilterOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        filters.take(predicate)
        guard sqlite == nil || csv == nil else {
            throw ValidationError("--sqlite and --csv are exports of their own: give one of them.")
        }
        guard let path = sqlite ?? csv, !path.isEmpty else {
            throw ValidationError("Say what to write: --sqlite FILE, or --csv FOLDER.")
        }
        guard path != "-" else {
            throw ValidationError("Exports are not written to standard output: --sqlite FILE, or --csv FOLDER.")
        }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        console.endByItself()
        let target: any ExportTarget =
            if let sqlite {
                try SQLiteTarget(sqlite, replaces: force, console)
            } else {
                try CSVTarget(csv ?? ".", replaces: force)
            }
        do {
            let export = Export(
                client: client, filter: try filters.filter(console), zone: console.zone, target: target,
                progress: ProgressLine(console))
            let rows = try await export.run()
            console.writeError("\(target.path): \(Quantity.count(rows)) \(rows == 1 ? "event" : "events")")
            let leftovers = target.leftovers
            if !leftovers.isEmpty {
                let names = SafeText.neutralised(leftovers.prefix(10).joined(separator: ", "))
                console.writeError("\(target.path): not of this export: \(names)\(leftovers.count > 10 ? ", ..." : "")")
            }
        } catch {
            target.abandon()
            throw error
        }
    }
}
