import API
import ArgumentParser
import Model

struct ReloadCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", _superCommandName: Glossctl.name,
        abstract: "Read settings and dictionaries again.",
        discussion: """
            If the settings have an error, it is shown with its line, and nothing changes. If a definition has one, this \
            definition stays as it was, or is not in force if it never was without one; everything else takes effect. \
            In both cases, the exit status is 1. Needs root, the daemon's own user or the configured group.

            \(Outcome.help)

            Example:
              sudo glossctl reload
            """)

    @Option(name: .letter("o"), help: "text or json.")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let reply = try await connection.client(console).document(APIPath.reload, method: "POST")
        func result() throws -> ReloadReply { try ControlClient.decode(ReloadReply.self, reply) }
        try console.answer(output, reply) { Self.text(try result(), text.style(console)) }
        guard try result().errors.isEmpty else {
            throw ControlError.no("definitions with errors stay as they were, or are not in force: correct them")
        }
    }

    static func text(_ reply: ReloadReply, _ style: Style) -> String {
        let count = reply.dictionaries.reduce(0) { $0 + $1.definitions }
        let dictionaries = Quantity.count(reply.dictionaries.count, "dictionary", plural: "dictionaries")
        var text = "Reloaded: \(dictionaries), \(Quantity.count(count, "definition")).\n"
        if reply.changes.isEmpty { text += "Nothing has changed.\n" }
        for change in reply.changes { text += TextBlock.wrapped(SafeText.neutralised(change), indent: 2, style) }
        for error in reply.errors {
            text += TextBlock.wrapped(SafeText.neutralised(error), indent: 2, style, tint: .bad)
        }
        for warning in reply.warnings {
            text += TextBlock.wrapped(SafeText.neutralised(warning), indent: 2, style, tint: .warning)
        }
        return text
    }
}
