import API
import ArgumentParser
import Model

struct SearchCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", _superCommandName: Glossctl.name,
        abstract: "Search the definitions.",
        usage: "glossctl search [<options>] <words> ...",
        discussion: """
            Finds definitions that contain all the words in their names, descriptions, parameters or allowed values. \
            Upper and lower case are the same, and a word may be part of a longer one. Common parameters and \
            categories that contain all the words come first. On a terminal, long texts are cut around the words; in a \
            pipe they are not.

            \(Outcome.help)

            Examples:
              glossctl search save button
              glossctl search 保存
              glossctl search recipe_detail/tap
              glossctl search -o json recipe | jq -r '.[].categories[].definitions[].name'
            """)

    @Argument(help: "The words to search for.")
    var words: [String]

    @OptionGroup var dictionary: DictionaryOption

    @Option(name: .letter("o"), help: "text or json (an array of lists, as in definitions list).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
            throw ValidationError("No word to look for: the words are empty.")
        }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let names = try await dictionary.names(client)
        let search = words.joined(separator: " ")
        let pages = try await client.definitionPages(of: names, search: search)
        let lists = try pages.map { try ControlClient.decode(DefinitionList.self, $0) }
        switch output {
        case .json: try console.print(array: pages)
        case .text:
            try console.print(SearchRenderer(search, style: text.style(console)).text(lists))
        }
        guard lists.contains(where: \.hasFound) else {
            let place = names.count == 1 ? "dictionary \(names[0])" : "\(names.count) dictionaries"
            let isOne = search.split(whereSeparator: \.isWhitespace).count == 1
            let nothing = isOne ? "found nowhere in \(place)" : "nothing has all of these words in \(place)"
            let hint = isOne ? "; for events: glossctl show -g \(Self.pattern(search))" : ""
            throw ControlError.no(SafeText.neutralised("\(search): \(nothing)\(hint)"))
        }
    }

    /// Returns the regular expression that finds a text, as a shell takes it.
    private static func pattern(_ text: String) -> String {
        let escaped = text.map { #"\^$.|?*+()[]{}"#.contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return "'\(escaped.replacing("'", with: #"'\''"#))'"
    }
}

extension DefinitionList {
    fileprivate var hasFound: Bool {
        !categories.isEmpty || commonMatches?.isEmpty == false || types?.isEmpty == false
    }
}
