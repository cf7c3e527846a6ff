import ArgumentParser

/// Lists of events that have to be sent.
struct ChecklistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checklist", _superCommandName: Glossctl.name,
        abstract: "Check that the events of a list are sent.",
        usage: "glossctl checklist <subcommand> [<options>]",
        discussion: """
            A list is a YAML or Markdown file in the repository of an app. It has the events that have to be sent, with how \
            many there may be, those that must not be sent, orders, and funnels: see docs/checklists.md. A run of a list \
            counts events as they come. Several runs of one list go on at once, each with a name and a filter of its own.

            \(Outcome.help)

            Examples:
              glossctl checklist new release --category recipe_detail > release.yaml
              glossctl checklist start release.yaml --user 42
              glossctl checklist show release --watch
              glossctl checklist wait release --timeout 5m -o junit > checklist.xml
            """,
        subcommands: [
            ListChecklistsCommand.self, ShowChecklistCommand.self, StartChecklistCommand.self,
            WaitChecklistCommand.self, ResetChecklistCommand.self, StopChecklistCommand.self,
            RemoveChecklistCommand.self, ExportChecklistCommand.self, NewChecklistCommand.self,
            RecordChecklistCommand.self,
        ],
        defaultSubcommand: ListChecklistsCommand.self)
}
