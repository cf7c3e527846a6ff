import API
import Journal
import Model
import Store

/// The problems that status shows.
extension StatusProblem {
    private static let journalFileHint = """
        Check its permissions; for a damaged file, run: journalctl --verify. One that is being copied is read when it is complete
        """
    private static let journalFolderHint =
        "Check journal.directory and journal.namespace in the settings, and the folder's permissions."

    /// The problems of the store, each once: the error that paused the intake may be the shortage, damage or error of the
    /// disk that queries have met.
    static func of(store: EventStore, paused: StoreError?) -> [StatusProblem] {
        var problems: [StatusProblem] = []
        if let paused, paused.kind != .corrupt {
            let isDiskFull = store.shortage != nil || paused.isOfDisk
            let code: Diagnostic = isDiskFull ? .storeDiskFull : paused.kind == .full ? .storeFull : .storeFailed
            problems.append(.init(code, what: "Reading is paused: \(paused)", hint: paused.hint))
        }
        if let shortage = store.shortage, paused?.kind != .full {
            problems.append(.init(.storeDiskFull, what: "Nothing can be stored: \(shortage)", hint: shortage.hint))
        }
        if let error = store.diskError, paused?.kind != .disk {
            problems.append(.init(.storeFailed, what: "What needs the disk fails: \(error)", hint: error.hint))
        }
        if let damage = store.damage {
            let effect =
                paused?.kind == .corrupt
                ? "Reading is paused, and what needs the damaged part fails" : "What needs the damaged part fails"
            problems.append(.init(.storeDamaged, what: "\(effect): \(damage)", hint: damage.hint))
        }
        return problems
    }

    static func of(
        intake: IntakeProgress.Snapshot, dictionaries: [LoadedDictionary], sinks: [SinkActivity]
    ) -> [StatusProblem] {
        var problems: [StatusProblem] = []
        let silence = ContinuousClock.now - intake.lastStep
        if silence >= .seconds(60) {
            problems.append(.init(.intakeStalled, what: "The intake has done nothing for more than a minute"))
        }
        for file in intake.journal.health.problems {
            let isFile = file.path.hasSuffix(".journal") || file.path.hasSuffix(".journal~")
            problems.append(
                .init(
                    .journalUnreadable, file.path, what: "Not read: \(file.path): \(file.reason)",
                    hint: isFile ? journalFileHint : journalFolderHint))
        }
        if let polling = intake.journal.health.polling {
            problems.append(
                .init(.journalPolled, what: "The journal is only polled, every 2 s: \(polling)"))
        }
        for loaded in dictionaries {
            guard let problem = loaded.problem else { continue }
            let consequence =
                loaded.dictionary.version.isEmpty ? "is not loaded" : "has errors; \(effect(on: loaded.dictionary))"
            problems.append(
                .init(
                    loaded.dictionary.version.isEmpty ? .dictionaryNotLoaded : .dictionaryBroken,
                    loaded.dictionary.options.name,
                    what: "Dictionary \(loaded.dictionary.options.name) \(consequence): \(problem)"))
        }
        return problems + sinks.compactMap(\.statusProblem)
    }

    /// Says what the errors of a dictionary's files have put out of force.
    private static func effect(on dictionary: EventDictionary) -> String {
        let (count, files) = (dictionary.broken.count, dictionary.filesLeftOut)
        let definitions = count == 1 ? "1 definition is" : "\(count) definitions are"
        let rest = "what they concern in \(files.count == 1 ? files[0].text.oneLine : "\(files.count) files")"
        return switch (count > 0, !files.isEmpty) {
        case (false, false): "what they concern stays in force as it was"
        case (true, false): "\(definitions) not in force"
        case (false, true): "\(rest) is not in force"
        case (true, true): "\(definitions) not in force, nor is \(rest)"
        }
    }

    /// - Parameter shortage: why the dictionaries' folders are only polled; `nil` when they are watched.
    static func of(privacy: PrivacyMode, watching shortage: String?) -> [StatusProblem] {
        var problems: [StatusProblem] = []
        if let warning = privacy.warning {
            problems.append(.init(.privacyRevealed, what: warning))
        }
        if let shortage {
            problems.append(
                .init(
                    .dictionaryPolled, what: "Dictionary folders are only polled, every 2 s: \(shortage)"))
        }
        return problems
    }
}

extension SinkActivity {
    /// After this time a failure counts as a problem: upstreams restart, and networks fail for shorter times.
    static let retryingLimit = Duration.seconds(300)

    /// The problem that status shows; `nil` when there is none.
    var statusProblem: StatusProblem? {
        switch state {
        case .held:
            return .init(
                .sinkHeld, name, what: "Sink \(name) is held: \(lastError ?? "the upstream refuses")")
        case .retrying:
            guard let time = longTime else { return nil }
            return .init(
                .sinkRetrying, name,
                what: "Sink \(name) has been retrying for \(time): \(lastError ?? "no answer")")
        case .paused:
            guard let time = longTime else { return nil }
            return .init(.sinkWaiting, name, what: "Sink \(name) has been waiting for the store for \(time)")
        case .ok, .disabled:
            return nil
        }
    }

    /// The time without a delivery, if it exceeds the limit.
    private var longTime: String? {
        guard let retryingFor, retryingFor >= Self.retryingLimit else { return nil }
        let minutes = Int(retryingFor / .seconds(60))
        return minutes < 120 ? "\(minutes) minutes" : "\(minutes / 60) hours"
    }
}
