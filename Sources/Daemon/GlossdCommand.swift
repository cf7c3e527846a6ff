import Dictionaries
package import ArgumentParser
import Definitions
import Foundation
import Glibc
import Linux
import Logging
import Model
import Serve
import Settings
import Store

/// The daemon's command line.
package struct GlossdCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "glossd",
        abstract: "Reads structured log events from the journal, explains and keeps them, and delivers them upstream.",
        discussion: """
            It runs as a systemd unit; glossctl asks it questions. SIGHUP makes it read settings and dictionaries again \
            (it notices changes of dictionaries itself); SIGTERM stops it.

            Exit status, with and without --check: 0 done; 1 it failed, or with --check a dictionary has errors; \
            2 wrong usage; 78 the settings have errors, the store is damaged, read-only, foreign or of another layout, its \
            hash.key cannot be used, or the limit of open files is too low; without --check, also if a lock file cannot be used.

            Examples:
              glossd --check
                  say what is wrong with the settings, the dictionaries and the store
              glossd --config ./gloss.yaml
                  run in the foreground, with settings of your own
              glossd --ephemeral --definitions ./definitions
                  run without an installation; then: glossctl tail --socket gloss.sock
            """,
        version: glossVersion)

    @Option(help: ArgumentHelp("The settings file (default: \(Self.usualConfig)).", valueName: "path"))
    var config: String?

    @Flag(help: "Only check the settings, the dictionaries they name, and whether the store and its key can be used.")
    var check = false

    @Option(help: ArgumentHelp("The least severe log lines to write.", valueName: "level"))
    var logLevel = LogLevel.info

    @OptionGroup(title: "Without an installation") var ephemeral: EphemeralOptions

    package init() {}

    package static let usualConfig = "/etc/gloss/gloss.yaml"

    package func validate() throws {
        if ephemeral.isOn, config != nil { throw ValidationError("--ephemeral takes no settings from a file.") }
    }

    /// EX_CONFIG. The unit does not restart the daemon after it.
    private static let wrongSettings = ExitCode(78)

    /// A store, a key or a lock file that the next start would refuse as well also needs a person.
    private static func status(of error: any Error) -> ExitCode {
        let isLasting =
            switch error {
            case let error as StoreError: error.isLasting
            case let error as ServeError: error.isLasting
            case let error as HashKey.Failure: error.isLasting
            default: false
            }
        return isLasting ? wrongSettings : .failure
    }

    /// Parses the arguments, runs, and exits with the status of the result.
    package static func run() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            guard exitCode(for: error) == .validationFailure else { exit(withError: error) }
            writeErrors(fullMessage(for: error) + "\n")
            // The status for wrong usage in all programs of Gloss. ArgumentParser's is 64.
            Glibc.exit(2)
        }
    }

    package func run() async throws {
        let working = FileManager.default.currentDirectoryPath
        guard ephemeral.isOn else {
            let config = config ?? Self.usualConfig
            return check ? try runCheck(config) : try await run(Self.absolute(config, in: working))
        }
        let folder = try EphemeralFolder()
        defer { folder.remove() }
        try folder.write(ephemeral.settings { Self.absolute($0, in: working) }, to: "gloss.yaml")
        let config = "\(folder.path)/gloss.yaml"
        if check { return try runCheck(config) }
        try await run(config)
        // It was this daemon's lock, since it ran; another one that has the socket keeps its own.
        unlink(ephemeral.socketPath { Self.absolute($0, in: working) } + ".lock")
    }

    private func run(_ config: String) async throws {
        useTwoMemoryPools()
        // A limit for the size of files is then an error of the write that exceeds it.
        signal(SIGXFSZ, SIG_IGN)
        // The reader keeps a descriptor for each journal file, and the default soft limit is 1024.
        let descriptors = raiseDescriptorLimit()
        LoggingSystem.bootstrap { [logLevel] _ in JournalLogHandler(level: logLevel.level) }
        let logger = Logger(label: "glossd")
        guard descriptors >= Self.leastDescriptors else {
            logger.critical(
                "glossd may have \(descriptors) files and connections open, and needs \(Self.leastDescriptors)",
                metadata: ["hint": "Raise the limit: LimitNOFILE= of the unit, or ulimit -Hn."])
            throw Self.wrongSettings
        }
        do {
            try await Daemon(configurationPath: config, logger: logger).runUntilStopped()
        } catch let error as SettingsError {
            for problem in error.problems { logger.critical("\(problem.logText)") }
            throw Self.wrongSettings
        } catch {
            logger.critical("\(error)", metadata: hint(error).map { ["hint": "\($0)"] })
            throw Self.status(of: error)
        }
    }

    private func runCheck(_ config: String) throws {
        let configuration: Configuration
        do {
            configuration = try Configuration(path: config)
        } catch {
            writeProblems(error.problems.map(\.description))
            throw Self.wrongSettings
        }
        for dictionary in configuration.dictionaries {
            writeProblems(dictionary.problems.map { $0.description(in: dictionary.options.path) })
        }
        writeProblems(configuration.missing.map { "\(config): warning: \($0)" })
        let store = configuration.settings.store.path
        do {
            for look in [{ try EventStore.look(at: store) }, { try HashKey.look(in: StateFolder(ofStore: store)) }] {
                if let unknown = try look() { writeProblems(["\(config): warning: \(unknown)"]) }
            }
        } catch {
            writeProblems(["\(config): error: \(error)\(hint(error).map { ". \($0)" } ?? "")"])
            throw Self.status(of: error)
        }
        guard configuration.dictionaryErrors.isEmpty else { throw ExitCode.failure }
        let settings = configuration.settings
        let definitions = configuration.dictionaries.reduce(0) { $0 + ($1.dictionary?.definitionCount ?? 0) }
        print(
            """
            \(config.oneLine): good. \(settings.sources.count.counted("source")), \
            \(settings.dictionaries.count.counted("dictionary", plural: "dictionaries")) with \
            \(definitions.counted("definition")), \(settings.sinks.count.counted("sink")), \
            \(settings.alerts.count.counted("alert")), \(settings.notifiers.count.counted("notifier")).
            """)
    }

    private func writeProblems(_ problems: [String]) {
        Self.writeErrors(Self.lines(problems))
    }

    /// Writes to standard error what is not a log line. It may quote the command line, which is untrusted text.
    private static func writeErrors(_ text: String) {
        writeAll(Array(SafeText.neutralised(text, keepingLines: true).utf8), to: STDERR_FILENO)
    }

    /// A line for each problem, and below it the part of a predicate that it is about, whose lines are indented.
    static func lines(_ problems: [String]) -> String {
        problems.flatMap { problem in
            problem.split(separator: "\n").reduce(into: [String]()) { lines, line in
                if lines.isEmpty || line.hasPrefix("  ") {
                    lines.append(String(line))
                } else {
                    lines[lines.count - 1] += "\n" + line
                }
            }
        }.map { $0.oneLine + "\n" }.joined()
    }

    /// Makes the path absolute, because paths that derive from it are shown to people in other working folders.
    static func absolute(_ path: String, in folder: String) -> String {
        if path.hasPrefix("/") { return path }
        return "\(folder == "/" ? "" : folder)/\(path.hasPrefix("./") ? String(path.dropFirst(2)) : path)"
    }

    private func hint(_ error: any Error) -> String? {
        switch error {
        case let error as StoreError: error.hint
        case let error as ServeError: error.hint
        case let error as HashKey.Failure: error.hint
        default: nil
        }
    }

    /// For itself and some connections and journal files. 256 connections need 600, and 256 open journal files 1,024.
    private static let leastDescriptors: rlim_t = 64

    /// - Returns: how many descriptors there may be.
    private func raiseDescriptorLimit() -> rlim_t {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return rlim_t.max }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 16_384))
        // Where this is not allowed, the limit of the service manager remains.
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 {
            _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return limit.rlim_cur
    }
}

enum LogLevel: String, CaseIterable, ExpressibleByArgument {
    case debug, info, notice, warning, error

    var level: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .notice: .notice
        case .warning: .warning
        case .error: .error
        }
    }
}
