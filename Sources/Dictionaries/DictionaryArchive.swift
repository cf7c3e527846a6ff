import Definitions
import Linux
package import Logging
package import Model
package import API
package import Store
import Synchronization

/// The versions of dictionaries that the store keeps. Failures to store or to read one are logged and stop nothing; storing
/// is tried again.
package final class DictionaryArchive: Sendable {
    private struct Version: Sendable {
        var dictionary: EventDictionary
        var files: [DefinitionFile]
        var loadedMicroseconds: UInt64
        /// Whether it was known what was protected before. If not, it does not know what it no longer protects.
        var knowsEarlierNames: Bool
        /// Why it could not be stored.
        var failure: StoreError?
    }

    private let store: EventStore
    private let logger: Logger
    /// By the name of the dictionary, the version in force that could not be stored yet.
    private let waiting = Mutex<[ExactString: Version]>([:])
    private enum Part { case version, protectedNames }
    /// By the name of the dictionary, why what it was before could not be read when it was last needed.
    private let unread = Mutex<[ExactString: [Part: StoreError]]>([:])

    package init(store: EventStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// What could not be stored, or not be read.
    package var problems: [StatusProblem] {
        let failures = waiting.withLock { $0.compactMapValues(\.failure) }
            .merging(unread.withLock { $0.compactMapValues(\.values.first) }) { kept, _ in kept }
        return failures.sorted { $0.key < $1.key }.map { name, error in
            let what = "A version of dictionary \(name) cannot be kept, or not be read: \(error)"
            return StatusProblem(.dictionaryNotKept, name.text, what: what, hint: error.hint)
        }
    }

    private func note(_ part: Part, _ name: String, _ failure: StoreError?) {
        unread.withLock { $0[name, default: [:]][part] = failure }
    }

    /// Returns the dictionaries that are in force from the start: the content of each folder or, where it has errors, the last
    /// good version. Stores the files of the readings, and drops them from memory.
    package func begin(with readings: inout [DictionaryReading]) async -> [LoadedDictionary] {
        let now = wallClock()
        for index in readings.indices {
            await repair(&readings[index])
            await inherit(&readings[index])
        }
        await keep(readings, at: now)
        await leave(allBut: readings.map(\.options.name), at: now)
        var loaded: [LoadedDictionary] = []
        for index in readings.indices {
            readings[index].files = []
            let last = readings[index].dictionary == nil ? await last(readings[index].options) : nil
            loaded.append(readings[index].loaded(at: now, orLast: last))
        }
        return loaded
    }

    /// Makes a dictionary of files that have errors, with the last good text of what has them. If the last version
    /// cannot be read, it makes none, so that all of the last version stays in force; `readAgain` says when it can be.
    /// - Parameter inForce: the dictionary in force; `nil` if there is none yet.
    package func repair(_ reading: inout DictionaryReading, inForce: EventDictionary? = nil) async {
        guard reading.dictionary == nil,
            let last = await lastFiles(reading.options.name, inForce: inForce?.version)
        else { return }
        let unrepaired = reading
        reading = await WorkQueue("gloss.repair").run {
            var reading = unrepaired
            reading.repair(lastGood: last)
            return reading
        }
    }

    /// Returns the files of the version in force if it waits or is kept, else of the newest; none if they are not kept, `nil` if they
    /// cannot be read. What is in force may be no such version: the newest files with other settings, or without their errors.
    private func lastFiles(_ name: String, inForce: String? = nil) async -> [DefinitionFile]? {
        // What waits was in force later than all that is kept.
        if let version = waiting.withLock({ $0[name] }) {
            note(.version, name, nil)
            return version.files
        }
        do throws(StoreError) {
            let versions = try await store.versions(ofDictionary: name)
            var files: [DefinitionFile] = []
            // The newest is the first.
            if let version = versions.first(where: { $0.version == inForce }) ?? versions.first {
                files = try await store.files(ofDictionary: name, version: version.version) ?? []
            }
            note(.version, name, nil)
            return files
        } catch {
            // A failure that lasts is logged once.
            if unread.withLock({ $0[name]?[.version] }) == nil {
                logger.error("The last good version of dictionary \(name) cannot be read: \(error)")
            }
            note(.version, name, error)
            return nil
        }
    }

    /// Tries again to read the last good versions that could not be read.
    /// - Parameter inForce: the dictionaries in force.
    /// - Returns: the folders of those whose version can be read now.
    package func readAgain(inForce: [EventDictionary]) async -> Set<ExactString> {
        var folders: Set<ExactString> = []
        for dictionary in inForce where unread.withLock({ $0[dictionary.options.name]?[.version] }) != nil {
            guard await lastFiles(dictionary.options.name, inForce: dictionary.version) != nil else { continue }
            folders.insert(dictionary.options.path)
        }
        return folders
    }

    /// Keeps the names protected that the dictionary protected when it was last in force.
    package func inherit(_ reading: inout DictionaryReading) async {
        guard let own = reading.dictionary?.protectedNames else { return }
        // Reading the last version takes long, and is only needed if it protects a name that this one does not know.
        guard await protectedNames(reading.options).contains(where: { own[$0.key] == nil }),
            let last = await last(reading.options)
        else { return }
        reading.dictionary?.inherit(from: last)
    }

    private func protectedNames(_ options: DictionaryOptions) async -> [ExactString: Privacy] {
        do throws(StoreError) {
            let names = try await store.protectedNames(ofDictionary: options.name)
            note(.protectedNames, options.name, nil)
            return names
        } catch {
            note(.protectedNames, options.name, error)
            logger.error("What dictionary \(options.name) protected before cannot be read: \(error)")
            return [:]
        }
    }

    /// Stores the versions that are put in force. Call it from one task at a time.
    package func keep(_ readings: [DictionaryReading], at nowMicroseconds: UInt64) async {
        for reading in readings {
            guard let dictionary = reading.dictionary else { continue }
            let name = dictionary.options.name
            // Nothing earlier is needed of what has no errors.
            if reading.problem == nil { note(.version, name, nil) }
            if let notice = dictionary.inheritedNotice { logger.notice("\(notice)") }
            var version = Version(
                dictionary: dictionary, files: reading.files, loadedMicroseconds: nowMicroseconds,
                knowsEarlierNames: unread.withLock { $0[name]?[.protectedNames] == nil })
            version.failure = await keep(version)
            waiting.withLock { [version] in $0[name] = version.failure == nil ? nil : version }
            guard let error = version.failure else { continue }
            logger.error(
                """
                Version \(dictionary.version) of dictionary \(name) is in force but could not be kept in the store, \
                which is tried again: \(error)
                """)
        }
    }

    /// Notes that other dictionaries are no longer in the settings. Call it again after `keepAgain`, which may store
    /// the definitions of one of them.
    package func leave(allBut names: [String], at nowMicroseconds: UInt64) async {
        let inSettings = Set(exact: names)
        unread.withLock { $0 = $0.filter { inSettings.contains($0.key) } }
        // Only takes room until the next start or reload if it fails.
        try? await store.keepDefinitions(ofOnly: names, at: nowMicroseconds)
    }

    /// Whether a version could not be stored yet.
    package var isWaiting: Bool { waiting.withLock { !$0.isEmpty } }

    /// Tries again to store what could not be stored. Must not run at the same time as `keep`.
    package func keepAgain() async {
        for (name, version) in waiting.withLock({ $0 }) {
            guard await keep(version) == nil else { continue }
            waiting.withLock { $0[name] = nil }
            logger.notice("Version \(version.dictionary.version) of dictionary \(name) is kept in the store now.")
        }
    }

    private func keep(_ version: Version) async -> StoreError? {
        do throws(StoreError) {
            try await store.keep(
                version.dictionary, files: version.files, loadedMicroseconds: version.loadedMicroseconds,
                removingNames: version.knowsEarlierNames)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the last good version, parsed with the current options, with the names that it protected; `nil` when there is
    /// none. It defines nothing if its files are not kept.
    func last(_ options: DictionaryOptions) async -> EventDictionary? {
        let names = await protectedNames(options)
        var last = await dictionary(options, of: await lastFiles(options.name) ?? [])
        if last == nil, !names.isEmpty {
            last = EventDictionary(options: options, version: "", common: [], categories: [])
        }
        last?.inherited = names
        return last
    }

    /// Returns an earlier version; `nil` when its files are no longer kept, or cannot be parsed with the current options.
    func dictionary(_ options: DictionaryOptions, version: String) async throws(StoreError) -> EventDictionary? {
        await dictionary(options, of: try await store.files(ofDictionary: options.name, version: version) ?? [])
    }

    private func dictionary(_ options: DictionaryOptions, of files: [DefinitionFile]) async -> EventDictionary? {
        guard !files.isEmpty else { return nil }
        return await WorkQueue("gloss.archive").run {
            try? DictionaryParser.parse(files, options: options).dictionary
        }
    }
}

extension EventDictionary {
    /// Logged whenever the dictionary is put in force; `nil` when its own definitions name everything that it protects.
    fileprivate var inheritedNotice: String? {
        guard !inherited.isEmpty else { return nil }
        let names = inherited.keys.map(\.text).sorted()
        let shown = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? " and \(names.count - 20) more" : "")
        return """
            Dictionary \(options.name) still protects what earlier versions of it called private: \(shown). A parameter \
            of that name without the annotation makes it public.
            """
    }
}
