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
        help: ArgumentHelp("The definition's key.", valueName: "category/name"), completion: Completions.definitions,
        transform: Self.key)
    var key: EventKey

    @OptionGroup var dictionary: DictionaryOption

    @Option(name: .letter("o"), help: "text or json.")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    private static func key(_ text: String) throws -> EventKey {
        if let key = EventKey(path: text), !key.category.isEmpty, !key.name.isEmpty { return key }
        throw ValidationError(
            "write CATEGORY/NAME, such as recipe_detail/tap_save_button; glossctl search finds it by a part of it"
        )
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let names = try await dictionary.names(client)
        let found = try await documents(in: names, client)
        guard let first = found.first else { throw try await none(in: names, client) }
        guard found.count == 1 else {
            let list = found.map(\.dictionary).joined(separator: ", ")
            let message = "\(key) is defined in \(found.count) dictionaries, \(list): say in which with --dictionary"
            throw ControlError.wrongUsage(SafeText.neutralised(message))
        }
        switch output {
        case .json: try console.print(document: first.document)
        case .text:
            let detail: DefinitionDetail
            do {
                detail = try DefinitionDetail.parse(first.document)
            } catch {
                throw ControlError.otherShape
            }
            try console.print(DefinitionRenderer(style: text.style(console)).text(detail))
        }
    }

    /// Returns the definitions of the key, with their dictionaries.
    private func documents(
        in dictionaries: [String], _ client: ControlClient
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
    private func none(in dictionaries: [String], _ client: ControlClient) async throws -> ControlError {
        var query = DefinitionQuery()
        query.limit = DefinitionQuery.maximumLimit
        var known: [EventKey] = []
        for name in dictionaries {
            let list = try await client.document(DefinitionKeys.self, APIPath.definitions(dictionary: name, query))
            known += list.keys
        }
        let place = dictionaries.count == 1 ? "dictionary \(dictionaries[0])" : "\(dictionaries.count) dictionaries"
        let near = NearKeys.of(key, in: known).map(\.description).joined(separator: "\n  ")
        let hint = near.isEmpty ? "glossctl search WORDS looks for words." : "Similar definitions:\n  \(near)"
        return .no(SafeText.neutralised("\(key): no such definition in \(place)\n\(hint)", keepingLines: true))
    }
}

/// The members of `DefinitionList` with the keys.
private struct DefinitionKeys: Decodable {
    struct Category: Decodable {
        let name: String
        let definitions: [Item]
    }

    struct Item: Decodable { let name: String }

    let categories: [Category]

    var keys: [EventKey] {
        categories.flatMap { category in
            category.definitions.map { EventKey(category: category.name, name: $0.name) }
        }
    }
}
