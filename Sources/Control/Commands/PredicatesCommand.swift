import API
import ArgumentParser
import Model
import Predicates

struct PredicatesCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "predicates", _superCommandName: Glossctl.name,
        abstract: "List the predicates that have names.",
        discussion: """
            Lists what @name stands for in predicates: names in the settings (predicates:), which are for everyone, and in \
            ~/.config/gloss/predicates, which are yours and go before those. --keys lists what predicates can ask for.

            \(Outcome.help)

            Examples:
              glossctl predicates
              glossctl show '@slow and not unit like "test-*"'
              glossctl predicates --keys
            """)

    @Flag(name: .long, help: "List the keys of predicates, and the parameters that definitions have.")
    var keys = false

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let list = try await client.document(KeyCatalog.self, APIPath.keys)
        var table = TextTable(
            keys ? ["KEY", "MEANS"] : ["NAME", "FROM", "PREDICATE"], names: [0], prose: keys ? 1 : 2)
        func append(_ cells: String...) {
            table.append(
                cells.enumerated().map { place, text in
                    TextTable.Cell(SafeText.neutralised(text), place == 0 ? .note : .plain)
                })
        }
        if keys {
            for key in list.keys { append(key.name, key.description.filter { $0 != "`" }) }
            for name in list.writtenParameters { append(name, "A parameter") }
            return try console.print(table.rendered(text.style(console)))
        }
        let own = try UserPredicates.read(console)?.texts ?? [:]
        guard !own.isEmpty || !list.predicates.isEmpty else {
            throw ControlError.nothing(
                "No predicate has a name. Give one in the settings (predicates:), or in ~/.config/gloss/predicates.")
        }
        for (name, predicate) in own.sorted(by: { $0.key < $1.key }) {
            append("@\(name)", "your file", predicate.text.onOneLine)
        }
        for named in list.predicates where own[ExactString(named.name)] == nil {
            append(
                "@\(named.name)", "settings", named.predicate?.onOneLine ?? "(only for those who may read the journal)")
        }
        try console.print(table.rendered(text.style(console)))
    }
}
