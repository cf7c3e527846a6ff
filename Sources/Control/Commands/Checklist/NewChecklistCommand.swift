import API
import ArgumentParser
import Model

struct NewChecklistCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Print a list of defined events.",
        discussion: """
            The list goes to standard output, with what the dictionary says of each event. Edit it: predicates, numbers, orders \
            and funnels are described in docs/checklists.md. Obsolete events are left out.

            \(Outcome.help)

            Examples:
              glossctl checklist new release --category recipe_detail > release.yaml
              glossctl checklist new signup --events user/open,user/join --format markdown
            """)

    @Argument(help: ArgumentHelp("The name of the list.", valueName: "name"))
    var name: String

    @Option(
        name: .long, help: ArgumentHelp("Keys of events, separated by commas.", valueName: "key,..."),
        completion: Completions.values(of: "event", after: ","))
    var events: [String] = []

    @Option(name: .long, help: ArgumentHelp("All events of a category. May be repeated.", valueName: "category"))
    var category: [String] = []

    @Option(name: .long, help: "yaml or markdown.")
    var format = ChecklistFormat.yaml

    @Option(name: .long, help: ArgumentHelp("Only this dictionary.", valueName: "name"))
    var dictionary: String?

    @OptionGroup var connection: ConnectionOptions

    mutating func validate() throws {
        try ChecklistWriter.check(name: name)
        if events.isEmpty, category.isEmpty { throw ValidationError("Give --events or --category.") }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let defined = try await Self.definitions(DictionaryOption.named(dictionary, client).map(\.name), client)
        var list = ChecklistWriter(name: name, format: format)
        for name in category {
            let found = defined.filter { $0.key.category == name }
            guard !found.isEmpty else { throw Self.noCategory(name, in: defined.map(\.key)) }
            let wanted = found.filter { !$0.isObsolete }
            guard !wanted.isEmpty else {
                throw ControlError.no(SafeText.neutralised("all events of the category \(name) are obsolete"))
            }
            for definition in wanted { list.add(definition.key, definition.description) }
        }
        for text in events.flatMap(KeyList.split) {
            guard let key = EventKey(path: text) else {
                throw ControlError.wrongUsage("--events \(text): write keys of events, CATEGORY/NAME")
            }
            let definition = defined.first { $0.key == key }
            if definition == nil { console.complain("\(text): no dictionary defines this event") }
            list.add(key, definition?.description)
        }
        try list.print(on: console)
    }

    private static func noCategory(_ name: String, in known: [EventKey]) -> ControlError {
        let near = NearKeys.categories(like: name, in: known)
        let hint = near.isEmpty ? "" : "; did you mean \(near.joined(separator: ", "))?"
        return .no(SafeText.neutralised("no dictionary defines events of the category \(name)\(hint)"))
    }

    struct Defined {
        var key: EventKey
        var description: String
        var isObsolete: Bool
    }

    static func definitions(_ dictionaries: [String], _ client: ControlClient) async throws -> [Defined] {
        try await client.definitionPages(of: dictionaries).flatMap { page in
            try ControlClient.decode(DefinitionList.self, page).categories.flatMap { category in
                category.definitions.map {
                    Defined(
                        key: EventKey(category: category.name, name: $0.name), description: $0.description,
                        isObsolete: $0.obsolete)
                }
            }
        }
    }
}

extension ChecklistFormat: Choice {}

/// Writes a list.
struct ChecklistWriter {
    let name: String
    let format: ChecklistFormat
    private var items: [(key: EventKey, note: String?)] = []
    /// What is not in the list, since it could not be read again: a sentence for each event.
    private(set) var omissions: [String] = []

    init(name: String, format: ChecklistFormat) { (self.name, self.format) = (name, format) }

    /// - Throws: `ValidationError` for a name that no list can have.
    static func check(name: String) throws {
        if let fault = Checklist.fault(ofName: name) { throw ValidationError("<name>: \(fault)") }
    }

    /// Adds an event that has to be sent, once.
    mutating func add(_ key: EventKey, _ note: String?) {
        guard !items.contains(where: { $0.key == key }) else { return }
        let name = SafeText.neutralised(key.description)
        // Markdown has no escapes for control characters.
        guard format == .yaml || name == key.description else {
            return omissions.append("\(name) is left out: Markdown cannot have its characters; --format yaml can")
        }
        guard items.count < Checklist.mostItems else {
            let most = Quantity.count(Checklist.mostItems)
            return omissions.append("\(name) is left out: a list has at most \(most) items")
        }
        items.append((key, note?.split(separator: "\n").first.map(String.init)))
    }

    /// - Throws: `ControlError.no` if nothing is left of it.
    func print(on console: Console) throws {
        omissions.forEach(console.complain)
        guard !items.isEmpty else { throw ControlError.no("no event can be written") }
        try console.print(text)
    }

    var text: String {
        switch format {
        case .yaml:
            let lines = items.map { key, note in
                (note.map { "  # \(Self.comment($0))\n" } ?? "") + "  - \(YAMLText.scalar(key.description))\n"
            }
            return "checklist: \(YAMLText.scalar(name))\nitems:\n\(lines.joined())"
        case .markdown:
            let lines = items.map { key, note in
                "- [ ] \(MarkdownText.code(key.description))\n" + (note.map { "  \(MarkdownText.escaped($0))\n" } ?? "")
            }
            return "# \(name)\n\n## Events\n\(lines.joined())"
        }
    }

    /// Comments of YAML have no escapes.
    private static func comment(_ text: String) -> String {
        SafeText.neutralised(text).replacing("\u{FFFE}", with: "\u{FFFD}").replacing("\u{FFFF}", with: "\u{FFFD}")
    }
}
