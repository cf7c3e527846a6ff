import API
package import ArgumentParser
import Model

package struct DoctorCommand: ControlCommand {
    package static let configuration = CommandConfiguration(
        commandName: "doctor", _superCommandName: Glossctl.name,
        abstract: "Check a whole installation, and say what to do.",
        discussion: """
            Checks the unit and its settings, the socket and this user's access to it, the journal, the store and its disk, the \
            dictionaries and whether the unit may read their folders, whether the sinks can be reached, the alerts and the clock. The exit status is 1 if something \
            is wrong. It changes nothing.

            \(Outcome.help)

            Examples:
              glossctl doctor
              sudo glossctl doctor
            """)

    @OptionGroup package var text: TextOptions
    @OptionGroup package var connection: ConnectionOptions

    package init() {}

    func run(on console: Console) async throws {
        let socket = try connection.socketPath(console)
        let findings = await Doctor(
            socket: socket, isUsual: socket == ConnectionOptions.defaultSocket, now: console.now()
        ).findings()
        let style = text.style(console)
        for finding in findings {
            var line = StyledLine(finding.state.mark, finding.state.tint)
            line.append(" \(finding.what)")
            if !finding.found.isEmpty { line.append(": \(SafeText.neutralisedLine(finding.found))") }
            try console.print(TextBlock.wrapped(line.rendered(style.uncut), indent: 0, style))
            if let advice = finding.advice { try console.print(TextBlock.wrapped(advice, indent: 5, style)) }
        }
        let wrong = findings.count { $0.state == .wrong }
        if wrong > 0 { throw ControlError.no("\(Quantity.count(wrong, "problem")) found") }
    }
}
