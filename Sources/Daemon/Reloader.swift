import API
import Dictionaries
import Linux
import Logging
import Model
import Resolve
import Settings
import Synchronization

/// The parts of the daemon in which settings and dictionaries take effect. Each method is one step of a reload; `Reloader`
/// knows their order.
protocol ReloadTarget: Sendable {
    /// Remembers that private values will be stored as they are, until they are protected.
    func willReveal() async throws
    func deliver(by dictionaries: DictionarySet) async
    func deliver(to sinks: [SinkOptions]) async
    func alert(by settings: Settings) async
    func resolve(by dictionaries: DictionarySet) async
    func read(by settings: Settings)
    /// Ends reading the current batch, and returns when it has been resolved.
    func waitUntilResolved() async
    /// Says that stored events are being reprocessed. It comes before anybody sees the dictionaries that they will be reprocessed
    /// by: who waits until that is done would take them for done otherwise.
    func willReprocess() async
    func reprocess(by dictionaries: DictionarySet) async
    func watch(_ folders: [String])
}

/// Holds the settings and dictionaries in force, and replaces them: all when a reload is requested, unless the settings have
/// errors, and a single dictionary when its files change. Of definitions with errors, the last good text stays in force. One
/// reload runs at a time.
actor Reloader {
    private let path: String
    private let key: [UInt8]
    private let archive: DictionaryArchive
    private let target: any ReloadTarget
    private let logger: Logger
    private let queue = WorkQueue("gloss.dictionaries")
    private var settings: Settings { didSet { replacementCount.add(1, ordering: .releasing) } }
    private var loaded: LoadedDictionaries { didSet { replacementCount.add(1, ordering: .releasing) } }
    private let replacementCount = Atomic(0)
    /// Why the last reload was refused; `nil` if it was not.
    private var refused: Problem?
    private let isStopping = Atomic(false)
    /// An actor alone would let other calls in at every suspension.
    private let reloads = OrderedWork()

    /// - Parameters:
    ///   - configuration: what is in force.
    ///   - dictionaries: the dictionaries in force, in the order of the configuration.
    ///   - key: the secret that private values are hashed with.
    init(
        path: String, configuration: Configuration, dictionaries: [LoadedDictionary], key: [UInt8],
        archive: DictionaryArchive, target: any ReloadTarget, logger: Logger
    ) {
        self.path = path
        self.key = key
        self.archive = archive
        self.target = target
        self.logger = logger
        settings = configuration.settings
        loaded = LoadedDictionaries(dictionaries, readings: configuration.dictionaries)
    }

    /// The dictionaries in force, in the order of the settings, each with the problems of its files as they are now.
    var dictionaries: [LoadedDictionary] { loaded.all }

    /// `nil` when no dictionary of that name is in force.
    func dictionary(named name: String) -> LoadedDictionary? { loaded[name] }
    var privacy: PrivacyMode { settings.privacy }
    /// The rules that the journal is read by.
    var rules: [SourceRule] { settings.rules }
    var predicates: [ExactString: ExactString] { settings.predicates }
    /// How often settings and dictionaries were replaced. It has grown before anything is resolved by new ones.
    nonisolated var replacements: Int { replacementCount.load(ordering: .acquiring) }

    /// What is wrong with the last reload that was requested.
    var problems: [StatusProblem] {
        guard let refused else { return [] }
        let lines = (refused.detail ?? "").split(separator: "\n")
        let more = lines.count > 3 ? "; and \(lines.count - 3) more" : ""
        let what = "Not reloaded: \(refused.title): \(lines.prefix(3).joined(separator: "; "))\(more)"
        return [.init(.settingsRefused, what: what.oneLine)]
    }

    /// Returns the text that replaces a hashed value in payloads.
    nonisolated func hash(of value: String) -> String { Protection(mode: .protect, key: key).hash(of: value) }

    /// Ends reloads: from now on nothing takes effect. The next start reads all files again.
    nonisolated func stop() { isStopping.store(true, ordering: .relaxed) }

    // MARK: the order

    /// Puts settings and dictionaries in force. Privacy depends on the order: an entry that a new rule takes must not be
    /// resolved, stored or sent without the dictionary that says which of its values are private, nor one that was read by
    /// the previous rules without the previous dictionary.
    /// - Parameter readings: what the dictionaries were read of. They are kept before any event is resolved by them.
    private func activate(
        _ next: Settings, _ new: LoadedDictionaries, _ readings: [DictionaryReading], at now: UInt64
    ) async throws {
        let both = await set(of: new.dictionaries + loaded.dictionaries, next)
        let dictionaries = await set(of: new.dictionaries, next)
        try checkStop()
        if next.privacy == .reveal { try await target.willReveal() }
        await target.deliver(by: dictionaries)
        await target.deliver(to: next.sinks)
        await target.alert(by: next)
        await target.willReprocess()
        // From here on, tails ask for what they mean by these.
        (settings, loaded) = (next, new)
        await archive.keep(readings, at: now)
        await target.resolve(by: both)
        target.read(by: next)
        await target.waitUntilResolved()
        await activate(dictionaries)
        target.watch(next.dictionaries.map(\.path))
    }

    /// Puts dictionaries in force under the same settings. Stored events are reprocessed when no more come that were
    /// resolved by the previous ones.
    private func activate(_ dictionaries: DictionarySet) async {
        await target.resolve(by: dictionaries)
        await target.deliver(by: dictionaries)
        await target.reprocess(by: dictionaries)
    }

    /// Compiles the dictionaries here, because the intake would stop for as long as it takes.
    private func set(of dictionaries: [EventDictionary], _ settings: Settings) async -> DictionarySet {
        await queue.run { [key] in
            DictionarySet(
                dictionaries, sources: settings.sources, protection: Protection(mode: settings.privacy, key: key))
        }
    }

    /// Puts dictionaries of the same folders in force.
    /// - Parameter versions: the readings that are new versions.
    private func activate(_ new: LoadedDictionaries, versions: [DictionaryReading], at now: UInt64) async {
        let resolvesOtherwise = !versions.isEmpty || new.resolveOtherwise(than: loaded)
        if resolvesOtherwise { await target.willReprocess() }
        loaded = new
        for reading in versions {
            for warning in reading.warnings { logger.warning("\(warning)") }
            guard let version = reading.dictionary?.version else { continue }
            logger.notice("Dictionary \(reading.options.name) changed: version \(version)")
        }
        await archive.keep(versions, at: now)
        if resolvesOtherwise { await activate(await set(of: new.dictionaries, settings)) }
    }

    // MARK: everything

    /// Reads settings and dictionaries again, and puts them in force. What has an error in a definition stays as it was, or is
    /// left out if it never was without one.
    /// - Throws: `Problem` that says what is wrong, with file and line; what was in force stays in force.
    func reload() async throws -> ReloadReply {
        try await reloads.run { try await self.reloadNow() }
    }

    private func reloadNow() async throws -> ReloadReply {
        try checkStop()
        var next = try await read()
        try checkStop()
        let blocks = next.sectionsThatNeedRestart(comparedTo: settings)
        guard blocks.isEmpty else {
            throw refusal(
                409, "A restart is needed",
                "changed in \(path): \(blocks.joined(separator: ", ")); restart glossd for that")
        }
        for index in next.dictionaries.indices {
            let name = next.dictionaries[index].options.name
            await archive.repair(&next.dictionaries[index], inForce: loaded[name]?.dictionary)
        }
        let unusable = next.dictionaries.filter { $0.dictionary == nil }
        guard unusable.isEmpty else {
            await note(errorsOf: next)
            throw refusal(
                422, "The definitions cannot be read", unusable.flatMap(\.errors).joined(separator: "\n"))
        }
        let now = wallClock()
        for index in next.dictionaries.indices { await inherit(&next.dictionaries[index]) }
        let new = next.dictionaries.map { $0.loaded(at: now, orLast: nil) }
        let changes = next.changes(from: settings, inForce: dictionaries)
        let previous = loaded
        do {
            let loaded = LoadedDictionaries(new, readings: next.dictionaries)
            try await activate(next.settings, loaded, next.dictionaries, at: now)
        } catch  where !(error is Problem) {
            refused = Problem(status: 500, title: "The reload failed", detail: "\(error)")
            logger.error("The reload failed: \(error)")
            throw error
        }
        await archive.leave(allBut: next.dictionaries.map(\.options.name), at: now)
        for reading in next.dictionaries { log(errorsOf: reading, after: previous) }
        logFixed(next.dictionaries, after: previous)
        refused = nil
        let warnings = next.dictionaryWarnings + next.doubts
        for warning in warnings { logger.warning("\(warning)") }
        if let warning = settings.privacy.warning { logger.warning("\(warning)") }
        logger.notice("Reloaded \(path): \(changes.isEmpty ? "nothing changed" : changes.joined(separator: "; "))")
        return ReloadReply(
            changes: changes, errors: next.dictionaryErrors, warnings: warnings + next.withoutMeaning,
            dictionaries: new.map(DictionaryStatus.init))
    }

    private func read() async throws -> Configuration {
        let result = await queue.run { [path] in
            Result { () throws(SettingsError) in try Configuration(path: path) }
        }
        do {
            return try result.get()
        } catch {
            throw refusal(422, "The settings have errors", error.problems.map(\.logText).joined(separator: "\n"))
        }
    }

    /// Keeps the dictionaries in force and notes the problems of their files for status. A folder that only the new settings
    /// name is not in force: its problems are reported by the refusal alone.
    private func note(errorsOf next: Configuration) async {
        var new = loaded
        for reading in next.dictionaries where reading.dictionary == nil {
            guard loaded[reading.options.name]?.dictionary.options.path == reading.options.path else { continue }
            new.note(errorsOf: reading)
        }
        await activate(new, versions: [], at: wallClock())
    }

    private func checkStop() throws(Problem) {
        guard isStopping.load(ordering: .relaxed) else { return }
        throw Problem(status: 503, title: "Not reloaded", detail: "glossd is being stopped")
    }

    private func refusal(_ status: Int, _ title: String, _ detail: String) -> Problem {
        logger.error("Not reloaded, everything stays as it was. \(title): \(detail)")
        let problem = Problem(status: status, title: title, detail: detail)
        refused = problem
        return problem
    }

    // MARK: single dictionaries

    /// Reads the dictionaries of these folders again, and puts them in force. What has an error stays as it was, or is left
    /// out if it never was without one, and status says why. Other dictionaries are not affected.
    func reload(folders: Set<ExactString>) async {
        await reloads.run { await self.reloadNow(folders) }
    }

    private func reloadNow(_ folders: Set<ExactString>) async {
        var new = loaded
        var readings: [DictionaryReading] = []
        for (options, contents) in loaded.contents(of: folders) {
            guard !isStopping.load(ordering: .relaxed) else { return }
            guard var reading = await queue.run({ DictionaryReading(options, unless: contents) }) else { continue }
            log(errorsOf: reading, after: loaded)
            await archive.repair(&reading, inForce: loaded[options.name]?.dictionary)
            if reading.dictionary == nil {
                new.note(errorsOf: reading)
            } else {
                readings.append(reading)
            }
        }
        guard !isStopping.load(ordering: .relaxed) else { return }
        logFixed(readings, after: loaded)
        let now = wallClock()
        var versions: [DictionaryReading] = []
        for var reading in readings {
            await inherit(&reading)
            if new.replace(by: reading, at: now) { versions.append(reading) }
        }
        await activate(new, versions: versions, at: now)
    }

    private func inherit(_ reading: inout DictionaryReading) async {
        if let last = loaded[reading.options.name] {
            reading.dictionary?.inherit(from: last.dictionary)
        } else {
            await archive.inherit(&reading)
        }
    }

    /// Tries again to store versions that the store had no room for, and to read those that it could not read. What the
    /// latter were needed for is put in force.
    func tryVersionsAgain() async {
        if archive.isWaiting { await reloads.run { await self.keepVersions() } }
        let folders = await archive.readAgain(inForce: loaded.dictionaries)
        if !folders.isEmpty { await reload(folders: folders) }
    }

    private func keepVersions() async {
        await archive.keepAgain()
        await archive.leave(allBut: loaded.dictionaries.map(\.options.name), at: wallClock())
    }

    private func log(errorsOf reading: DictionaryReading, after previous: LoadedDictionaries) {
        guard let problem = reading.problem, problem != previous[reading.options.name]?.problem else { return }
        let name = reading.options.name
        logger.error("Dictionary \(name): what its errors concern stays as it was, or is not in force: \(problem)")
    }

    private func logFixed(_ readings: [DictionaryReading], after previous: LoadedDictionaries) {
        for reading in readings where reading.problem == nil && previous[reading.options.name]?.problem != nil {
            logger.notice("Dictionary \(reading.options.name) is fixed.")
        }
    }
}
