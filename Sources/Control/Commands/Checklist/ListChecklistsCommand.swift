import API
import ArgumentParser
import Model

struct ListChecklistsCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the runs of checklists.",
        discussion: """
            \(Outcome.help)

            Examples:
              glossctl checklist list
              glossctl checklist list -o json
            """)

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let reply = try await client.document(APIPath.checklists)
        if output == .json { try console.print(document: reply) }
        let list = try ControlClient.decode(ChecklistList.self, reply)
        guard !list.checklists.isEmpty else {
            throw ControlError.noChecklists
        }
        guard output == .text else { return }
        let style = text.style(console)
        var table = TextTable(["RUN", "LIST", "STATE", "DONE", "RESULT", "STARTED"], names: [0, 1])
        for run in list.checklists {
            table.append([
                .init(SafeText.neutralised(run.name), .heading), .init(SafeText.neutralised(run.list)),
                .init(run.state.rawValue, run.state.tint), .init("\(run.done) of \(run.total)"),
                .init(run.result.rawValue, run.result.tint), .init(style.short(run.startedAt)),
            ])
        }
        try console.print(table.rendered(style))
    }
}

extension ControlError {
    static let noChecklists = ControlError.nothing(
        "No checklist was started. Start one: glossctl checklist start FILE")
}

extension ChecklistReply.State {
    var tint: Tint {
        switch self {
        case .running: .good
        case .stopped: .faint
        case .held: .bad
        }
    }
}

extension ChecklistReply.Result {
    var tint: Tint { self == .done ? .good : .bad }
}
