package import ArgumentParser
import Glibc
import Model

/// The root command of gloss-dictionary: commands that work on definition files without a daemon.
///
/// `glossctl lint` and `glossctl generate` execute it, so help and messages use those names.
package struct DictionaryCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "glossctl",
        abstract: "Check definition files, and generate code from them. Needs no daemon.",
        usage: "gloss-dictionary <command> [<options>]",
        discussion: "Exit status: 0 done; 1 there are mistakes, or what was generated is stale; 2 wrong usage.",
        version: glossVersion,
        subcommands: [LintSubcommand.self, GenerateSubcommand.self])

    package init() {}

    package static func main() async {
        Glibc.exit(await run(Array(CommandLine.arguments.dropFirst()), on: .process()).rawValue)
    }

    /// Runs one command line.
    /// - Parameter arguments: the arguments without the program's name.
    package static func run(_ arguments: [String], on console: ToolConsole) async -> ToolOutcome {
        do {
            var command = try parseAsRoot(arguments)
            if let command = command as? any DictionarySubcommand {
                try await command.run(on: console)
            } else {
                try command.run()
            }
            return .done
        } catch {
            return report(error, on: console)
        }
    }

    private static func report(_ error: any Error, on console: ToolConsole) -> ToolOutcome {
        if let failure = error as? CommandFailure {
            if let message = failure.message {
                console.errors("glossctl: \(message)\n")
            }
            return failure.outcome
        }
        let text = fullMessage(for: error) + "\n"
        guard exitCode(for: error).isSuccess else {
            console.errors(text)
            return exitCode(for: error) == .validationFailure ? .wrongUsage : .no
        }
        do {
            try console.output(text)
            return .done
        } catch {
            return report(error, on: console)
        }
    }
}

/// A subcommand. ArgumentParser's `run()` has no parameter for a console, so this protocol replaces it.
protocol DictionarySubcommand: ParsableCommand {
    func run(on console: ToolConsole) async throws
}

/// The result of a command.
package enum ToolOutcome: Int32, Sendable {
    case done = 0
    /// The answer is "no": there are errors, or the generated code is out of date.
    case no = 1
    case wrongUsage = 2
}

/// The reason why a command fails.
struct CommandFailure: Error {
    var outcome: ToolOutcome
    /// The message for standard error; `nil` when everything was already printed.
    var message: String?

    init(_ outcome: ToolOutcome, _ message: String? = nil) {
        self.outcome = outcome
        self.message = message
    }
}
