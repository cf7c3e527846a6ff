package import API
package import Model

/// The dictionaries in force, in the order of the settings, each with the problems of its files as they are now.
package struct LoadedDictionaries: Sendable {
    /// Each request of the API asks for all of them, or for one.
    package private(set) var all: [LoadedDictionary]
    /// The contents of their folders when they were last read; `nil` if nothing of them was put in force.
    private var contents: [Int?]
    /// Where each is, by its name.
    private let places: [ExactString: Int]

    /// - Parameters:
    ///   - loaded: the dictionaries in force.
    ///   - readings: the readings of their folders, in the same order.
    package init(_ loaded: [LoadedDictionary], readings: [DictionaryReading]) {
        (all, contents) = (loaded, readings.map { $0.dictionary == nil ? nil : $0.contents })
        let names = loaded.indices.map { (ExactString(loaded[$0].dictionary.options.name), $0) }
        places = Dictionary(uniqueKeysWithValues: names)
    }

    package var dictionaries: [EventDictionary] { all.map(\.dictionary) }

    /// `nil` when no dictionary of that name is in force.
    package subscript(name: String) -> LoadedDictionary? {
        places[ExactString(name)].map { all[$0] }
    }

    /// Returns the dictionaries in some folders, with the contents that these had when they were last read; `nil` if
    /// nothing of them was put in force.
    package func contents(of folders: Set<ExactString>) -> [(options: DictionaryOptions, contents: Int?)] {
        zip(all, contents).filter { folders.contains($0.0.dictionary.options.path) }
            .map { ($0.dictionary.options, $1) }
    }

    /// Puts a reading that has a dictionary in force, in place of the one of its name. What has errors may be missing.
    /// - Returns: whether it is a new version.
    package mutating func replace(by reading: DictionaryReading, at nowMicroseconds: UInt64) -> Bool {
        guard let index = place(of: reading), let dictionary = reading.dictionary else { return false }
        let last = all[index]
        let isNew = last.dictionary.version != dictionary.version
        let time = isNew ? nowMicroseconds : last.loadedAtMicroseconds
        (all[index], contents[index]) = (reading.loaded(at: time, orLast: nil), reading.contents)
        return isNew
    }

    /// Keeps the dictionary in force if the reading has none, and notes the problems of its files.
    package mutating func note(errorsOf reading: DictionaryReading) {
        guard let index = place(of: reading) else { return }
        let last = all[index]
        all[index] = reading.loaded(at: last.loadedAtMicroseconds, orLast: last.dictionary)
        contents[index] = nil
    }

    /// Returns whether events are resolved otherwise than by `previous`, regardless of versions: files with errors may call
    /// something private that the dictionary in force does not, and an error may stand at another line.
    package func resolveOtherwise(than previous: LoadedDictionaries) -> Bool {
        zip(dictionaries, previous.dictionaries)
            .contains { $0.protectedNames != $1.protectedNames || $0.broken != $1.broken }
    }

    private func place(of reading: DictionaryReading) -> Int? { places[ExactString(reading.options.name)] }
}
