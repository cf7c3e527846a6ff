import Definitions
import Logging
import Model
import Serve
import Store

/// The versions of dictionaries that the store remembers. What cannot be kept or had is told, and stops nothing.
struct DictionaryArchive: Sendable {
    let store: EventStore
    let logger: Logger

    /// What is in force from the start: of each dictionary what its folder has, or, where that is in error, the last
    /// good version. The readings' files are kept in the store, and dropped here.
    func begin(with readings: inout [DictionaryReading]) async -> [LoadedDictionary] {
        let now = wallClock()
        await keep(readings, at: now)
        var loaded: [LoadedDictionary] = []
        for index in readings.indices {
            readings[index].files = []
            let last = readings[index].dictionary == nil ? await last(readings[index].options) : nil
            loaded.append(readings[index].loaded(at: now, orLast: last))
        }
        return loaded
    }

    /// Remembers what is being put in force.
    func keep(_ readings: [DictionaryReading], at nowMicroseconds: UInt64) async {
        for reading in readings {
            guard let dictionary = reading.dictionary else { continue }
            do throws(StoreError) {
                try await store.keep(dictionary, files: reading.files, loadedMicroseconds: nowMicroseconds)
            } catch {
                logger.error(
                    """
                    Version \(dictionary.version) of dictionary \(dictionary.options.name) is in force but could not \
                    be kept in the store: \(error)
                    """)
            }
        }
    }

    /// The last good one, as the options of now read its files; `nil` when there is none.
    func last(_ options: DictionaryOptions) async -> EventDictionary? {
        do throws(StoreError) {
            let versions = try await store.versions(ofDictionary: options.name)
            let last = versions.max { $0.lastLoadedMicroseconds < $1.lastLoadedMicroseconds }
            guard let last else { return nil }
            return try await dictionary(options, version: last.version)
        } catch {
            logger.error("The last good version of dictionary \(options.name) cannot be read: \(error)")
            return nil
        }
    }

    /// A version that was in force once; `nil` when its files are not kept any more, or cannot be read with the options
    /// of now.
    func dictionary(_ options: DictionaryOptions, version: String) async throws(StoreError) -> EventDictionary? {
        guard let files = try await store.files(ofDictionary: options.name, version: version) else { return nil }
        return await WorkQueue("gloss.archive").run {
            try? DictionaryParser.parse(files, options: options).dictionary
        }
    }
}
