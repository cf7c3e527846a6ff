import API
import ArgumentParser
import Model

struct ListDefinitionsCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the definitions.",
        discussion: """
            A definition is obsolete, unseen (no such event was ever stored) or seen. EVENTS counts all events ever \
            stored, including those that the store has removed. On a narrow terminal, descriptions are shown below \
            their rows and long ones are cut; names are never cut. In a pipe nothing is cut.

            \(Outcome.help) A list without definitions in a state is an answer: 0.

            Examples:
              glossctl definitions
              glossctl definitions --state unseen
              glossctl definitions --event 'recipe_detail/*'
              glossctl definitions --subsystem com.example.shop
              glossctl definitions -o json | jq -r '.[].categories[].definitions[].name'
            """)

    @Option(name: .long, help: ArgumentHelp("Only definitions in this state.", valueName: "state"))
    var state: DefinitionState?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only definitions with this key, such as 'recipe_detail/*'. * and ? are wildcards; may be repeated.",
            valueName: "category/name"), completion: Completions.definitions)
    var event: [String] = []

    @OptionGroup var dictionary: DictionaryOption

    @Option(
        name: .letter("o"),
        help: """
            text or json (an array with a list for each dictionary, or several for more than \
            \(Quantity.count(DefinitionQuery.maximumLimit)) definitions).
            """)
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    /// Accepted only to suggest what to write instead.
    @Argument(help: .hidden)
    var key: String?

    mutating func validate() throws {
        if let key {
            throw ValidationError(
                "\(key): write glossctl definitions show CATEGORY/NAME, --event 'CATEGORY/*', or search WORDS.")
        }
        if let name = event.first(where: { !$0.contains("/") && !$0.contains("*") }) {
            throw ValidationError("--event \(name): write CATEGORY/NAME, such as '\(name)/*' or '*/\(name)'.")
        }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let scopes = try await dictionary.scopes(client)
        var pages = try await client.definitionPages(of: scopes.map(\.name), state: state)
        guard output == .text || !event.isEmpty || dictionary.category != nil else {
            return try console.print(array: pages)
        }
        var lists = try pages.map { try ControlClient.decode(DefinitionList.self, $0) }
        noteCategory(scopes, lists, console)
        if !event.isEmpty {
            lists = try selected(lists)
            pages = try lists.map { Array(try APICoding.encode($0)) }
        }
        guard output == .text else { return try console.print(array: pages) }
        try console.print(DefinitionTable(style: text.style(console)).text(lists))
    }

    /// Says that a category of events stands where one of journal entries is meant: a dictionary that covers all of these covers
    /// it, too.
    private func noteCategory(
        _ scopes: [DictionaryOption.Scopes.Dictionary], _ lists: [DefinitionList], _ console: Console
    ) {
        guard let category = dictionary.category, !scopes.contains(where: { $0.category == category }),
            lists.contains(where: { $0.categories.contains { $0.name == category } })
        else { return }
        console.complain(
            SafeText.neutralised(
                "--category is about journal entries. For the category of events \(category), write --event '\(category)/*'"
            ))
    }

    /// Returns the lists with the definitions whose keys match.
    /// - Throws: `ControlError.no` if there are none, unless they were to be in a state.
    private func selected(_ lists: [DefinitionList]) throws(ControlError) -> [DefinitionList] {
        let globs = event.map { Glob($0) }
        var selected = lists
        for index in selected.indices { selected[index].keep { key in globs.contains { $0.matches(key.description) } } }
        if state == nil, selected.allSatisfy(\.categories.isEmpty) { throw none(in: lists.flatMap(\.keys)) }
        // The pages of a dictionary have one number.
        let found = selected.map { ($0.dictionary, $0.keys.count) }
        for index in selected.indices {
            selected[index].total = found.reduce(0) { $0 + ($1.0 == selected[index].dictionary ? $1.1 : 0) }
        }
        return selected
    }

    private func none(in known: [EventKey]) -> ControlError {
        var seen: Set<ExactString> = []
        let near = event.compactMap { EventKey(path: $0) }.flatMap { key in
            key.name.contains("*")
                ? NearKeys.categories(like: key.category, in: known).map { "\($0)/\(key.name)" }
                : NearKeys.of(key, in: known).map(\.description)
        }.filter { seen.insert(ExactString($0)).inserted }
        let hint =
            near.isEmpty ? "glossctl search WORDS looks for words" : "did you mean \(near.joined(separator: ", "))?"
        return .no(SafeText.neutralised("no definition has the key \(event.joined(separator: " or ")); \(hint)"))
    }
}

extension DefinitionList {
    var keys: [EventKey] {
        categories.flatMap { category in
            category.definitions.map { EventKey(category: category.name, name: $0.name) }
        }
    }

    /// Removes the other definitions, and categories that have none.
    fileprivate mutating func keep(_ isWanted: (EventKey) -> Bool) {
        for index in categories.indices {
            let category = categories[index].name
            categories[index].definitions.removeAll { !isWanted(EventKey(category: category, name: $0.name)) }
        }
        categories.removeAll(where: \.definitions.isEmpty)
    }
}

extension DefinitionState: Choice {}
