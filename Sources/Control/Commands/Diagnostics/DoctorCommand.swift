import ArgumentParser
import Model

struct DoctorCommand: ControlCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", _superCommandName: Glossctl.name,
        abstract: "Check a whole installation, and say what to do.",
        discussion: """
            Checks the unit and its settings, the socket and this user's access to it, the journal, the store and its disk, the \
            dictionaries and whether the unit may read their folders, whether the sinks can be reached, the alerts and the clock. It changes nothing.

            Exit status: 0 nothing is wrong; 1 something is, also if glossd cannot be reached; 2 wrong usage.

            Examples:
              glossctl doctor
              sudo glossctl doctor
            """)

    @OptionGroup var text: TextOptions
    @OptionGroup var connection: ConnectionOptions

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let findings = await Doctor(
            socket: socket, isUsual: socket == ConnectionOptions.defaultSocket, now: console.now(),
            glossd: try? InstalledProgram(name: "glossd").path(console)
        ).findings()
        let style = text.style(console)
        try console.answer {
            for finding in findings { try console.print(Self.text(finding, style)) }
        }
        let wrong = findings.count { $0.state == .wrong }
        if wrong > 0 { throw ControlError.no("\(Quantity.count(wrong, "problem")) found") }
    }

    private static func text(_ finding: DoctorFinding, _ style: Style) -> String {
        let found = finding.found.isEmpty ? "" : ": \(SafeText.neutralisedLine(finding.found))"
        let lines = TextBlock.lines(finding.what + found, room: style.width.map { max(20, $0 - 2) } ?? .max)
        let text = lines.enumerated().map { number, text in
            var line = StyledLine(number == 0 ? finding.state.mark : " ", finding.state.tint)
            line.append(" \(text)")
            return line.rendered(style.uncut) + "\n"
        }
        return text.joined() + (finding.advice.map { TextBlock.wrapped($0, indent: 5, style) } ?? "")
    }
}
