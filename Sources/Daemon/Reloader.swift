import API
import Logging
import Model
import Serve
import Settings

/// Holds what is in force, and replaces it: all or nothing.
actor Reloader {
    private let path: String
    private let apply: @Sendable (Configuration) async throws -> Void
    private let logger: Logger
    private var configuration: Configuration
    /// In force, in the order of the settings, each with what is wrong with its files as they are now.
    private(set) var dictionaries: [LoadedDictionary]

    /// - Parameter apply: puts a checked configuration in force.
    init(
        path: String, configuration: Configuration, logger: Logger,
        apply: @escaping @Sendable (Configuration) async throws -> Void
    ) {
        self.path = path
        self.configuration = configuration
        self.logger = logger
        self.apply = apply
        dictionaries = configuration.dictionaries.map(\.dictionary)
    }

    /// - Throws: `Problem` that says what is wrong, with file and line; what was in force stays in force.
    func reload() async throws -> ReloadReply {
        let next: Configuration
        do {
            next = try Configuration(path: path, nowMicroseconds: wallClock())
        } catch {
            throw refusal("The settings have errors", error.description)
        }
        let blocks = next.blocksThatNeedRestart(comparedTo: configuration)
        guard blocks.isEmpty else {
            throw refusal(
                "A restart is needed", "changed in \(path): \(blocks.joined(separator: ", ")); restart glossd for that")
        }
        let problems = next.dictionaryProblems
        guard problems.isEmpty else {
            note(problemsOf: next)
            throw refusal("The definitions have errors", problems.joined(separator: "\n"))
        }
        try await apply(next)
        let changes = next.changes(from: configuration, dictionaries)
        configuration = next
        dictionaries = next.dictionaries.map(\.dictionary)
        for warning in next.warnings { logger.warning("\(warning)") }
        logger.notice("Reloaded \(path): \(changes.isEmpty ? "nothing changed" : changes.joined(separator: "; "))")
        return ReloadReply(changes: changes, warnings: next.warnings, dictionaries: statuses)
    }

    private var statuses: [DictionaryStatus] {
        dictionaries.map {
            DictionaryStatus(
                $0.dictionary, loadedAtMicroseconds: $0.loadedAtMicroseconds, problem: $0.problem)
        }
    }

    /// The last good dictionaries stay, and status says what is wrong with the files.
    private func note(problemsOf next: Configuration) {
        for index in dictionaries.indices {
            let name = dictionaries[index].dictionary.options.name
            let loaded = next.dictionaries.first { $0.dictionary.dictionary.options.name == name }
            dictionaries[index].problem = loaded?.dictionary.problem
        }
    }

    private func refusal(_ title: String, _ detail: String) -> Problem {
        logger.error("Not reloaded, everything stays as it was. \(title): \(detail)")
        return Problem(status: 422, title: title, detail: detail)
    }
}

extension Configuration {
    /// What became different, one sentence each.
    fileprivate func changes(from old: Configuration, _ loaded: [LoadedDictionary]) -> [String] {
        var changes: [String] = []
        if settings.sources != old.settings.sources {
            changes.append("sources: \(settings.sources.count) instead of \(old.settings.sources.count)")
        }
        for next in dictionaries.map(\.dictionary.dictionary) {
            guard let known = loaded.first(where: { $0.dictionary.options.name == next.options.name }) else {
                changes.append("dictionary \(next.options.name) is new")
                continue
            }
            if known.dictionary.version != next.version || known.dictionary.options != next.options {
                changes.append("dictionary \(next.options.name) changed: version \(next.version)")
            }
        }
        changes += Self.difference(
            "dictionary", old.settings.dictionaries.map(\.name), settings.dictionaries.map(\.name))
        for sink in settings.sinks {
            guard let known = old.settings.sinks.first(where: { $0.name == sink.name }) else {
                changes.append("sink \(sink.name) is new")
                continue
            }
            if known != sink { changes.append("sink \(sink.name) changed") }
        }
        changes += Self.difference("sink", old.settings.sinks.map(\.name), settings.sinks.map(\.name))
        return changes
    }

    private static func difference(_ what: String, _ old: [String], _ new: [String]) -> [String] {
        old.filter { !new.contains($0) }.map { "\(what) \($0) is gone" }
    }
}
