import ArgumentParser

/// The definitions of the dictionaries.
struct DefinitionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "definitions", _superCommandName: Glossctl.name,
        abstract: "List, search and show definitions.",
        usage: "glossctl definitions [<subcommand>] [<options>]",
        discussion: """
            \(Outcome.help)

            Examples:
              glossctl definitions
              glossctl definitions --state unseen --dictionary shop
              glossctl definitions show recipe_detail/tap_save_button
              glossctl definitions search save button
              glossctl definitions versions
            """,
        subcommands: [
            ListDefinitionsCommand.self, ShowDefinitionCommand.self, SearchCommand.self, VersionsCommand.self,
        ],
        defaultSubcommand: ListDefinitionsCommand.self)
}
