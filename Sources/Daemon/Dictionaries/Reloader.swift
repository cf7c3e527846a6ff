import API
import Linux
import Logging
import Model
import Resolve
import Serve
import Settings
import Synchronization

/// Holds what is in force, and replaces it: settings and all dictionaries together when it is told to, all or nothing;
/// a single dictionary when its files change.
actor Reloader {
    /// What puts things in force.
    struct Effects: Sendable {
        /// Checked settings, and the dictionarySet that goes with them. `meanwhile` also has the dictionaries of before: for
        /// what is still read by the settings of before.
        var apply: @Sendable (Settings, _ meanwhile: DictionarySet, DictionarySet) async throws -> Void
        /// Another dictionarySet under the same settings.
        var explain: @Sendable (DictionarySet) async -> Void
    }

    /// A dictionary in force.
    private struct Held {
        var loaded: LoadedDictionary
        /// What its folder had when it was last read, good or not.
        var contents: Int
    }

    private let path: String
    private let key: [UInt8]
    private let archive: DictionaryArchive
    private let logger: Logger
    private let effects: Effects
    private let queue = WorkQueue("gloss.dictionaries")
    private var settings: Settings
    private var held: [Held]
    private let isStopping = Atomic(false)
    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - configuration: what is in force.
    ///   - dictionaries: those of the configuration, or what is in force instead of them.
    ///   - key: what private values are hashed with.
    init(
        path: String, configuration: Configuration, dictionaries: [LoadedDictionary], key: [UInt8],
        archive: DictionaryArchive, logger: Logger, effects: Effects
    ) {
        self.path = path
        self.key = key
        self.archive = archive
        self.logger = logger
        self.effects = effects
        settings = configuration.settings
        held = zip(dictionaries, configuration.dictionaries).map { Held(loaded: $0, contents: $1.contents) }
    }

    /// In force, in the order of the settings, each with what is wrong with its files as they are now.
    var dictionaries: [LoadedDictionary] { held.map(\.loaded) }
    var privacy: PrivacyMode { settings.privacy }
    /// What the journal is read by.
    var rules: [SourceRule] { Daemon.rules(settings) }

    /// What stands in payloads in place of a value that is hashed.
    nonisolated func hash(of value: String) -> String { Protection(mode: .protect, key: key).hash(of: value) }

    /// From now on nothing is put in force: the next start reads all files again.
    nonisolated func stop() { isStopping.store(true, ordering: .relaxed) }

    // MARK: everything

    /// - Throws: `Problem` that says what is wrong, with file and line; what was in force stays in force.
    func reload() async throws -> ReloadReply {
        await takeTurn()
        defer { endTurn() }
        try checkStop()
        var next = try await read()
        try checkStop()
        let blocks = next.blocksThatNeedRestart(comparedTo: settings)
        guard blocks.isEmpty else {
            throw refusal(
                409, "A restart is needed",
                "changed in \(path): \(blocks.joined(separator: ", ")); restart glossd for that")
        }
        let errors = next.dictionaryErrors
        guard errors.isEmpty else {
            await note(problemsOf: next)
            throw refusal(422, "The definitions have errors", errors.joined(separator: "\n"))
        }
        let now = wallClock()
        for index in next.dictionaries.indices { await inherit(&next.dictionaries[index]) }
        let loaded = next.dictionaries.map { $0.loaded(at: now, orLast: nil) }
        let (new, old) = (loaded.map(\.dictionary), dictionaries.map(\.dictionary))
        let meanwhile = await dictionarySet(new + old, next.settings.privacy)
        let dictionarySet = await dictionarySet(new, next.settings.privacy)
        try checkStop()
        try await effects.apply(next.settings, meanwhile, dictionarySet)
        await archive.keep(next.dictionaries, at: now)
        let changes = next.changes(from: settings, dictionaries)
        tellMended(next.dictionaries)
        settings = next.settings
        held = zip(loaded, next.dictionaries).map { Held(loaded: $0, contents: $1.contents) }
        for warning in next.dictionaryWarnings { logger.warning("\(warning)") }
        if let warning = settings.privacy.warning { logger.warning("\(warning)") }
        logger.notice("Reloaded \(path): \(changes.isEmpty ? "nothing changed" : changes.joined(separator: "; "))")
        return ReloadReply(changes: changes, warnings: next.dictionaryWarnings, dictionaries: loaded.map(\.status))
    }

    private func read() async throws -> Configuration {
        let result = await queue.run { [path] in
            Result { () throws(SettingsError) in try Configuration(path: path) }
        }
        do {
            return try result.get()
        } catch {
            throw refusal(
                422, "The settings have errors", error.problems.map(\.logText).joined(separator: "\n"))
        }
    }

    /// The last good dictionaries stay, and status says what is wrong with their files. Of a folder that the settings
    /// now name, and which is not in force, only the refusal tells.
    private func note(problemsOf next: Configuration) async {
        let before = dictionaries
        for reading in next.dictionaries {
            guard reading.dictionary == nil, let index = index(of: reading.options),
                held[index].loaded.dictionary.options.path == reading.options.path
            else { continue }
            note(reading, at: index)
        }
        if protectsOthers(than: before) { await explain() }
    }

    private func checkStop() throws(Problem) {
        guard isStopping.load(ordering: .relaxed) else { return }
        throw Problem(status: 503, title: "Not reloaded", detail: "glossd is being stopped")
    }

    private func refusal(_ status: Int, _ title: String, _ detail: String) -> Problem {
        logger.error("Not reloaded, everything stays as it was. \(title): \(detail)")
        return Problem(status: status, title: title, detail: detail)
    }

    // MARK: one dictionary

    /// Reads the dictionaries of these folders again. One that is good is put in force, one that is not stays as it
    /// was, and status tells why; the others have nothing to do with it.
    func look(at folders: Set<ExactString>) async {
        await takeTurn()
        defer { endTurn() }
        let before = dictionaries
        var good: [DictionaryReading] = []
        for index in held.indices where folders.contains(held[index].loaded.dictionary.options.path) {
            let (options, known) = (held[index].loaded.dictionary.options, held[index].contents)
            guard !isStopping.load(ordering: .relaxed) else { return }
            guard let reading = await queue.run({ DictionaryReading(options, unless: known) }) else { continue }
            if reading.dictionary != nil {
                good.append(reading)
            } else {
                tell(errorsOf: reading, at: index)
                note(reading, at: index)
            }
        }
        guard !isStopping.load(ordering: .relaxed) else { return }
        let hasChanged = await note(good)
        if hasChanged || protectsOthers(than: before) { await explain() }
    }

    /// - Returns: whether any is another than before.
    private func note(_ readings: [DictionaryReading]) async -> Bool {
        let now = wallClock()
        tellMended(readings)
        var changed: [DictionaryReading] = []
        for var reading in readings {
            await inherit(&reading)
            guard let index = index(of: reading.options), let dictionary = reading.dictionary else { continue }
            let last = held[index].loaded
            let isNew = last.dictionary.version != dictionary.version
            held[index] = Held(
                loaded: reading.loaded(at: isNew ? now : last.loadedAtMicroseconds, orLast: nil),
                contents: reading.contents)
            guard isNew else { continue }
            changed.append(reading)
            for warning in reading.warnings { logger.warning("\(warning)") }
            logger.notice("Dictionary \(reading.options.name) changed: version \(dictionary.version)")
        }
        await archive.keep(changed, at: now)
        return !changed.isEmpty
    }

    private func inherit(_ reading: inout DictionaryReading) async {
        if let index = index(of: reading.options) {
            reading.dictionary?.inherit(from: held[index].loaded.dictionary)
        } else {
            await archive.inherit(&reading)
        }
    }

    private func explain() async {
        await effects.explain(await dictionarySet(dictionaries.map(\.dictionary), settings.privacy))
    }

    /// Files in error may call something private that the dictionary in force does not.
    private func protectsOthers(than before: [LoadedDictionary]) -> Bool {
        zip(dictionaries, before).contains { $0.dictionary.protectedNames != $1.dictionary.protectedNames }
    }

    /// Tries again what the store had no room for.
    func keepVersions() async {
        guard archive.isWaiting else { return }
        await takeTurn()
        defer { endTurn() }
        await archive.keepAgain()
    }

    /// What was in force stays, and status says what is wrong with the files.
    private func note(_ reading: DictionaryReading, at index: Int) {
        let last = held[index].loaded
        held[index] = Held(
            loaded: reading.loaded(at: last.loadedAtMicroseconds, orLast: last.dictionary), contents: reading.contents)
    }

    private func tell(errorsOf reading: DictionaryReading, at index: Int) {
        guard let problem = reading.problem, problem != held[index].loaded.problem else { return }
        logger.error("Dictionary \(reading.options.name) stays as it was before its last edit: \(problem)")
    }

    private func tellMended(_ readings: [DictionaryReading]) {
        for reading in readings {
            guard let index = index(of: reading.options), held[index].loaded.problem != nil else { continue }
            logger.notice("Dictionary \(reading.options.name) is mended.")
        }
    }

    private func index(of options: DictionaryOptions) -> Int? {
        held.firstIndex { $0.loaded.dictionary.options.name == options.name }
    }

    /// Made here and not by the intake, which would stand still meanwhile.
    private func dictionarySet(_ dictionaries: [EventDictionary], _ privacy: PrivacyMode) async -> DictionarySet {
        await queue.run { [key] in
            DictionarySet(dictionaries, protection: Protection(mode: privacy, key: key))
        }
    }

    // MARK: turns

    /// One after the other: an actor alone lets others in wherever it waits.
    private func takeTurn() async {
        guard isBusy else {
            isBusy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func endTurn() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
