import API
import ArgumentParser
import Model

struct ShowDefinitionCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about one definition.",
        discussion: """
            Shows the description, the parameters of the event, of its category and of all events, how often the event \
            was sent, which rules were broken, columns in SQL that have another name, links, and an event from the store \
            as an example.

            \(Outcome.help)

            Examples:
              glossctl definitions show recipe_detail/tap_save_button
              glossctl definitions show search/start -o json | jq .usage.week
            """)

    @Argument(
        help: ArgumentHelp(
            "The definition's key; its name is enough if no other has it.", valueName: "category/name"),
        completion: Completions.definitions)
    var key: String

    @OptionGroup var dictionary: DictionaryOption

    @Option(name: .letter("o"), help: "text or json.")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        let path = EventKey(path: key)
        guard !key.isEmpty, path?.category.isEmpty != true, path?.name.isEmpty != true else {
            throw ValidationError(
                "write CATEGORY/NAME, such as recipe_detail/tap_save_button; glossctl search finds it by a part of it")
        }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let names = try await dictionary.names(client)
        let key = try await wanted(in: names, client)
        let found = try await documents(key, in: names, client)
        guard let first = found.first else {
            throw none(NearKeys.of(key, in: try await client.definitionKeys(of: names)), in: names)
        }
        guard found.count == 1 else {
            let list = found.map(\.dictionary).joined(separator: ", ")
            let message = "\(key) is defined in \(found.count) dictionaries, \(list): say in which with --dictionary"
            throw ControlError.wrongUsage(SafeText.neutralised(message))
        }
        switch output {
        case .json: try console.print(document: first.document)
        case .text:
            let detail = try ControlClient.understood { try DefinitionDetail.parse(first.document) }
            try console.print(DefinitionRenderer(style: text.style(console)).text(detail))
        }
    }

    /// Returns the key that is meant: a name alone means the only one that has it.
    private func wanted(in dictionaries: [String], _ client: ControlClient) async throws -> EventKey {
        if let key = EventKey(path: key) { return key }
        let known = try await client.definitionKeys(of: dictionaries)
        let named = Set(known.filter { $0.name == key }).sorted()
        guard let only = named.first else {
            let near = NearKeys.of(name: key, in: known)
            throw near.isEmpty && known.contains { $0.category == key }
                ? ControlError.wrongUsage("\(key) is a category: glossctl definitions --event '\(key)/*' lists it")
                : none(near, in: dictionaries)
        }
        guard named.count == 1 else {
            let list = named.map(\.description).joined(separator: ", ")
            throw ControlError.wrongUsage(SafeText.neutralised("\(key) is the name of several: write one of \(list)"))
        }
        return only
    }

    /// Returns the definitions of the key, with their dictionaries.
    private func documents(
        _ key: EventKey, in dictionaries: [String], _ client: ControlClient
    ) async throws -> [(dictionary: String, document: [UInt8])] {
        var found: [(dictionary: String, document: [UInt8])] = []
        for name in dictionaries {
            do {
                found.append((name, try await client.document(APIPath.definition(dictionary: name, key: key))))
            } catch ControlError.refused(let problem) where problem.status == 404 {
                continue
            }
        }
        return found
    }

    /// The error for an unknown definition, with similar names.
    private func none(_ near: [EventKey], in dictionaries: [String]) -> ControlError {
        let place = dictionaries.count == 1 ? "dictionary \(dictionaries[0])" : "\(dictionaries.count) dictionaries"
        let list = near.map(\.description).joined(separator: "\n  ")
        let hint = near.isEmpty ? "glossctl search WORDS looks for words." : "Similar definitions:\n  \(list)"
        return .no(SafeText.neutralised("\(key): no such definition in \(place)\n\(hint)", keepingLines: true))
    }
}
