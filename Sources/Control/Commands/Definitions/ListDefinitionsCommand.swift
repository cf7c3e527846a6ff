import API
import ArgumentParser

struct ListDefinitionsCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the definitions.",
        discussion: """
            A definition is obsolete, unseen (no such event was ever stored) or seen. EVENTS counts all events ever \
            stored, including those that the store has removed. On a narrow terminal, descriptions are shown below \
            their rows and long ones are cut; names are never cut. In a pipe nothing is cut.

            \(Outcome.help) A list without definitions is an answer: 0.

            Examples:
              glossctl definitions
              glossctl definitions --state unseen
              glossctl definitions --subsystem com.example.shop
              glossctl definitions -o json | jq -r '.[].categories[].definitions[].name'
            """)

    @Option(name: .long, help: ArgumentHelp("Only definitions in this state.", valueName: "state"))
    var state: DefinitionState?

    @OptionGroup var dictionary: DictionaryOption

    @Option(
        name: .letter("o"),
        help: "text or json (an array with a list for each dictionary, or several for more than 10,000 definitions).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    /// Accepted only to suggest what to write instead.
    @Argument(help: .hidden)
    var key: String?

    /// The same.
    @Option(help: .hidden)
    var event: String?

    mutating func validate() throws {
        guard let key = key ?? event else { return }
        throw ValidationError("\(key): write glossctl definitions show CATEGORY/NAME, or search WORDS.")
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var query = DefinitionQuery()
        query.state = state
        query.limit = DefinitionQuery.maximumLimit
        var pages: [[UInt8]] = []
        for name in try await dictionary.names(client) {
            pages += try await client.definitionPages(name, query)
        }
        guard output == .text else { return try console.print(array: pages) }
        let lists = try pages.map { try ControlClient.decode(DefinitionList.self, $0) }
        try console.print(DefinitionTable(style: text.style(console)).text(lists))
    }
}

extension DefinitionState: Choice {}
