import API
import ArgumentParser
import Model

struct VersionsCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions",
        abstract: "List the current and past versions of the dictionaries.",
        discussion: """
            Each event has the version that it was resolved with. The version in force is marked with *. FILES says \
            whether the definition files of a version are still kept; the API returns them under \
            /v1/dictionaries/NAME/versions/VERSION.

            \(Outcome.help) An empty list is not an error: the exit status is 0.

            Examples:
              glossctl definitions versions
              glossctl definitions versions -o json | jq -r '.[0].versions[].version'
            """)

    @OptionGroup var dictionary: DictionaryOption

    @Option(name: .letter("o"), help: "text or json (an array with a list for each dictionary).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        var lists: [[UInt8]] = []
        for name in try await dictionary.names(client) {
            lists.append(try await client.document(APIPath.versions(dictionary: name)))
        }
        guard output == .text else { return try console.print(array: lists) }
        let versions = try lists.map { try ControlClient.decode(DictionaryVersionList.self, $0) }
        try console.print(Self.text(versions, text.style(console)))
    }

    static func text(_ lists: [DictionaryVersionList], _ style: Style) -> String {
        guard lists.contains(where: { !$0.versions.isEmpty }) else { return "No versions.\n" }
        var table = TextTable(
            ["DICTIONARY", "VERSION", "", "FIRST LOADED", "LAST LOADED", "DEFINITIONS", "FILES"], numeric: [5],
            names: [0, 1])
        for list in lists {
            for version in list.versions {
                let isCurrent = version.version == list.current
                table.append([
                    .init(SafeText.neutralised(list.dictionary), .faint),
                    .init(SafeText.neutralised(version.version), isCurrent ? .heading : .plain),
                    .init(isCurrent ? "*" : "", .good),
                    .init(style.short(version.loadedAt)),
                    .init(style.short(version.lastLoadedAt)),
                    .init(Quantity.count(version.definitions)),
                    .init(version.files ? "kept" : "gone", version.files ? .plain : .faint),
                ])
            }
        }
        return table.rendered(style)
    }
}
