package import ArgumentParser
import Model

/// The command `glossctl`: asks the daemon questions over its socket.
package struct Glossctl: ParsableCommand {
    /// Each of the commands has it in its configuration, so that it can be parsed alone.
    static let name = "glossctl"

    package static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Query the structured log events that glossd has read from the journal.",
        usage: "glossctl [--socket <path>] <command> [<options>]",
        discussion: """
            \(Outcome.help) lint and generate work without the daemon and end with the status of gloss-dictionary.

            Environment: GLOSS_SOCKET is the socket of the daemon. GLOSS_PAGER, or else PAGER, or else less, shows \
            output that is longer than the terminal; an empty value or cat means no pager. GLOSS_LESS has the options \
            of less (default: FRXMK). NO_COLOR switches colours off.

            Examples:
              glossctl status
              glossctl show --last 10m --resolution violating
              glossctl tail --subsystem 'com.example.*' --event 'recipe_detail/*'
              glossctl definitions show recipe_detail/tap_save_button
              glossctl report --fail-on undefined,violations
            """,
        version: glossVersion,
        subcommands: [
            StatusCommand.self, ShowCommand.self, TailCommand.self, EventCommand.self, DefinitionsCommand.self,
            SearchCommand.self, StatsCommand.self, ValuesCommand.self, TopCommand.self, SQLCommand.self,
            ExportCommand.self,
            PredicatesCommand.self,
            ReportCommand.self, ChecklistCommand.self, AlertsCommand.self, GapsCommand.self, VerifyCommand.self,
            DiagnosticsCommand.self, DoctorCommand.self,
            ReloadCommand.self,
            EmitCommand.self, LintCommand.self, GenerateCommand.self,
        ])

    @OptionGroup var connection: ConnectionOptions

    package init() {}

    /// Runs one command line.
    /// - Parameter arguments: the arguments without the name of the program.
    static func run(_ arguments: [String], on console: Console) async -> Outcome {
        var (console, paged) = (console, PagedOutput?.none)
        do {
            try checkHelp(arguments)
            var command = try parse(ShortOptions.separated(arguments), &console)
            if let command = command as? any ControlCommand {
                paged = command.isPaged ? PagedOutput(on: console) : nil
                defer { paged?.end() }
                try await command.run(on: paged?.console ?? console)
            } else {
                try command.run()
            }
            return .done
        } catch is ByteSink.Closed {
            // The reader has closed the output.
            return .done
        } catch ControlError.interrupted where paged?.wasQuitEarly == true {
            return .done
        } catch {
            if let word = negativeTime(in: arguments, error) {
                return report(
                    ControlError.wrongUsage("\(word) is no option; write a length of time without -"),
                    of: arguments, on: console)
            }
            return report(error, of: arguments, on: console)
        }
    }

    /// Returns a length of time that was written with a hyphen: -1h is taken for a request for help, and -5m for options.
    private static func negativeTime(in arguments: [String], _ error: any Error) -> String? {
        if isHelp(error) {
            return arguments.contains(where: ["-h", "--help"].contains) ? nil : arguments.first(where: isNegative)
        }
        let message = error is ControlError ? "" : message(for: error)
        return zip(arguments, arguments.dropFirst()).first { option, word in
            isNegative(word) && word.last?.isLetter == true && message.contains("Missing value for '\(option)")
        }?.1
    }

    private static func isNegative(_ word: String) -> Bool {
        word.first == "-" && word.dropFirst().first?.isNumber == true
    }

    private static func isHelp(_ error: any Error) -> Bool {
        !(error is ControlError) && exitCode(for: error).isSuccess
    }

    /// Parses a command line.
    ///
    /// ArgumentParser finds the options of a command by reflection, several times, and of all commands above it: alone, a
    /// command takes half of the time. What is wrong with it is found out by the whole, which knows all names.
    /// - Parameter console: gets the socket that is named before the command, as the environment names one.
    private static func parse(_ words: [String], _ console: inout Console) throws -> any ParsableCommand {
        let (socket, rest) = socket(words)
        if let command = rest.first.flatMap({ subcommand($0) }),
            let parsed = try? command.parseAsRoot(Array(rest.dropFirst())) as? any ControlCommand
        {
            if let socket { console.environment["GLOSS_SOCKET"] = socket }
            return parsed
        }
        if let first = rest.first, !first.hasPrefix("-"), first != "help" { try checkCommand(first) }
        do { return try parseAsRoot(words) } catch {
            // The word is what is wrong, and not an option behind it.
            let message = message(for: error)
            if !isHelp(error), message.contains(rest.dropFirst().first ?? ""),
                let meant = subcommand(like: rest, isTaken: !message.contains(#/[Uu]nexpected argument/#))
            {
                throw meant
            }
            throw error
        }
    }

    /// Returns the subcommand with a name; `nil` if there is none.
    private static func subcommand(
        _ name: String, of command: any ParsableCommand.Type = Glossctl.self
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first { subcommand in
            subcommand.configuration.commandName.map { ExactString($0) } == ExactString(name)
        }
    }

    /// Returns an error for a word that should be a subcommand; `nil` if it is one.
    /// - Parameter isTaken: whether the word is an argument of the command if it is no subcommand, and not like one.
    private static func subcommand(like words: ArraySlice<String>, isTaken: Bool) -> ControlError? {
        guard words.count > 1, let first = words.first, let word = words.dropFirst().first, !word.hasPrefix("-"),
            let command = subcommand(first)
        else { return nil }
        let names = command.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !names.isEmpty, subcommand(word, of: command) == nil else { return nil }
        let near = EditDistance.nearest(to: word.lowercased(), among: names)
        guard near != nil || !isTaken else { return nil }
        let hint = near.map { "did you mean \($0)?" } ?? "there are \(names.joined(separator: ", "))"
        return .wrongUsage("there is no command \(first) \(SafeText.neutralised(word)); \(hint)")
    }

    /// ArgumentParser calls a wrong command an unexpected argument.
    private static func checkCommand(_ word: String) throws(ControlError) {
        guard subcommand(word) == nil else { return }
        let names = configuration.subcommands.compactMap { $0.configuration.commandName }
        let near = names.first { $0.hasPrefix(word) } ?? EditDistance.nearest(to: word.lowercased(), among: names)
        let hint =
            ForeignWords.command(word) ?? near.map { "did you mean \($0)?" } ?? "glossctl --help lists them"
        throw .wrongUsage("there is no command \(SafeText.neutralised(word)); \(hint)")
    }

    /// Returns the socket that is named before the command, and the words behind it.
    private static func socket(_ words: [String]) -> (String?, ArraySlice<String>) {
        if let (path, rest) = ConnectionOptions.socket(at: words[...]), !path.isEmpty { return (path, rest) }
        return (nil, words[...])
    }

    /// Returns the help of the last known command in the words, like ArgumentParser.
    private static func checkHelp(_ arguments: [String]) throws(ControlError) {
        guard arguments.first == "help" else { return }
        var (command, path): (any ParsableCommand.Type, String) = (Glossctl.self, "")
        for word in arguments.dropFirst() where !word.hasPrefix("-") {
            guard let next = subcommand(word, of: command) else {
                let lister = command.configuration.subcommands.isEmpty ? "" : path
                throw .wrongUsage("help\(path) \(word): there is no such command; glossctl\(lister) --help lists them")
            }
            (command, path) = (next, "\(path) \(word)")
        }
    }

    /// Returns the command that a command line names, and the words behind its name.
    static func command(of arguments: [String]) -> (command: any ParsableCommand.Type, rest: ArraySlice<String>) {
        var (command, rest): (any ParsableCommand.Type, _) = (Glossctl.self, socket(arguments).1)
        while let word = rest.first, let next = subcommand(word, of: command) {
            (command, rest) = (next, rest.dropFirst())
        }
        return (command.configuration.defaultSubcommand ?? command, rest)
    }

    private static func report(_ error: any Error, of arguments: [String], on console: Console) -> Outcome {
        switch error {
        case let error as ControlError:
            if case .interrupted = error { return .interrupted }
            if case .nothing(let sentence) = error {
                console.writeError(sentence)
            } else {
                console.complain(error.description)
                UserPredicates.hint(for: error, of: arguments, console).map(console.writeError)
            }
            return error.status
        case let error as FileError:
            console.complain(error.description)
            return .no
        default:
            return reportParsing(error, of: arguments, on: console)
        }
    }

    /// Prints requested help to the output, and errors in the command line to the errors.
    private static func reportParsing(_ error: any Error, of arguments: [String], on console: Console) -> Outcome {
        let columns = console.terminalWidth() ?? 100
        var text = fullMessage(for: error, columns: columns)
        while text.last == "\n" { text.removeLast() }
        guard exitCode(for: error).isSuccess else {
            let help = helpMessage(for: command(of: arguments).command, columns: columns)
            console.writeError(ForeignWords.explained(text, help: help))
            return exitCode(for: error) == .validationFailure ? .wrongUsage : .no
        }
        do {
            try console.print(text + "\n")
        } catch let error as FileError {
            console.complain(error.description)
            return .no
        } catch {
            // The reader has closed the output.
        }
        return .done
    }
}

/// A subcommand. It replaces `run()` of ArgumentParser, which cannot be given a console.
protocol ControlCommand: ParsableCommand {
    /// Whether its output is shown by a pager.
    var isPaged: Bool { get }
    func run(on console: Console) async throws
}

extension ControlCommand {
    var isPaged: Bool { false }
}

/// A subcommand with filters of events, whose options are written as those of journalctl.
protocol FilteredCommand: ControlCommand {
    var filters: FilterOptions { get }
}

/// A subcommand whose output may be longer than a screen.
protocol PagedCommand: ControlCommand {
    var text: TextOptions { get }
    /// Whether its output has an end.
    var hasEnd: Bool { get }
}

extension PagedCommand {
    var hasEnd: Bool { true }
    var isPaged: Bool { hasEnd && !text.noPager }
}
