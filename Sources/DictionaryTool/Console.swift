import Model

/// What surrounds a command: where it writes, where it stands, and what the environment says.
package struct Console: Sendable {
    /// - Throws: when it cannot be written, which ends the command.
    package var output: @Sendable (String) throws -> Void
    package var errors: @Sendable (String) -> Void
    /// Whether `output` is a person's screen.
    package var isTerminal: Bool
    package var environment: [String: String]
    /// The working folder, absolute; empty when it is not known.
    package var folder: String

    package init(
        output: @escaping @Sendable (String) throws -> Void, errors: @escaping @Sendable (String) -> Void,
        isTerminal: Bool = false, environment: [String: String] = [:], folder: String = ""
    ) {
        self.output = output
        // They may repeat words of the command line, names of files and what other programs say.
        self.errors = { errors(SafeText.neutralised($0, keepingLines: true)) }
        self.isTerminal = isTerminal
        self.environment = environment
        self.folder = folder
    }
    /// JSON as it goes to `output`: harmless on a terminal, elsewhere as it is.
    func machineText(_ json: String) -> String {
        isTerminal ? String(decoding: SafeText.neutralised(json: Array(json.utf8)), as: UTF8.self) : json
    }
}
