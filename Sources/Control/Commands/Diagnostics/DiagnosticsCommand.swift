import API
import ArgumentParser
import Model

struct DiagnosticsCommand: PagedCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics", _superCommandName: Glossctl.name,
        abstract: "List what went wrong inside glossd, and what to do about it.",
        discussion: """
            Each has a stable code: docs/diagnostics.md explains all of them, and journalctl -x those in the journal. What lasts \
            comes first. raised: it lasts; cleared: it is over; noted: it happens, and is counted. The exit status is 1 if \
            something lasts.

            \(Outcome.help)

            Examples:
              glossctl diagnostics
              glossctl diagnostics --raised
              glossctl diagnostics -o json | jq '.diagnostics[].code'
            """)

    @Flag(name: .long, help: "Only what lasts (text only).")
    var raised = false

    @Option(name: .letter("o"), help: "text or json (the document of the API).")
    var output = DocumentFormat.text

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func validate() throws {
        guard !raised || output == .text else { throw ValidationError("--raised goes with -o text only.") }
    }

    func run(on console: Console) async throws {
        let client = try connection.client(console)
        let document = try await client.document(APIPath.diagnostics)
        let all = try ControlClient.decode(DiagnosticList.self, document).diagnostics
        let lasting = all.filter { $0.state == .raised }
        let shown = raised ? lasting : all
        if shown.isEmpty, output == .text {
            return console.writeError(
                raised ? "Nothing is wrong." : "Nothing has gone wrong since the store was made.")
        }
        try console.answer(output, document) { Self.text(shown, text.style(console)) }
        if !lasting.isEmpty {
            throw ControlError.no(
                "\(Quantity.count(lasting.count, "problem")): \(lasting.map(\.code).uniqued().joined(separator: ", "))")
        }
    }

    static func text(_ diagnostics: [DiagnosticReply], _ style: Style) -> String {
        var table = TextTable(["CODE", "SUBJECT", "STATE", "COUNT", "FIRST", "LAST"], numeric: [3], names: [0, 1])
        for found in diagnostics {
            table.append([
                .init(SafeText.neutralised(found.code), .heading), .init(SafeText.neutralised(found.subject ?? "")),
                .init(found.state.rawValue, found.state.tint), .init(Quantity.count(found.count)),
                .init(style.short(found.first)), .init(style.short(found.last)),
            ])
        }
        var text = table.rendered(style)
        for found in diagnostics where found.state != .cleared {
            text += "\n" + TextBlock.wrapped("\(found.code): \(found.text)", indent: 0, style, tint: found.state.tint)
            if let advice = found.advice { text += TextBlock.wrapped(advice, indent: 2, style) }
        }
        return text
    }
}

extension DiagnosticReply.State {
    fileprivate var tint: Tint {
        switch self {
        case .raised: .bad
        case .cleared: .good
        case .noted: .warning
        }
    }
}
