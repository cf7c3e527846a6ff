package import API
package import Model

/// The dictionaries in force, in the order of the settings, each with the problems of its files as they are now.
package struct LoadedDictionaries: Sendable {
    private struct Item: Sendable {
        var loaded: LoadedDictionary
        /// The contents of its folder when it was last read, with or without errors.
        var contents: Int
    }

    private var items: [Item]

    /// - Parameters:
    ///   - loaded: the dictionaries in force.
    ///   - readings: the readings of their folders, in the same order.
    package init(_ loaded: [LoadedDictionary], readings: [DictionaryReading]) {
        items = zip(loaded, readings).map { Item(loaded: $0, contents: $1.contents) }
    }

    package var all: [LoadedDictionary] { items.map(\.loaded) }
    package var dictionaries: [EventDictionary] { items.map(\.loaded.dictionary) }

    /// `nil` when no dictionary of that name is in force.
    package subscript(name: String) -> LoadedDictionary? {
        items.first { $0.loaded.dictionary.options.name == name }?.loaded
    }

    /// Returns the dictionaries in some folders, with the contents that these had when they were last read.
    package func contents(of folders: Set<ExactString>) -> [(options: DictionaryOptions, contents: Int)] {
        items.filter { folders.contains($0.loaded.dictionary.options.path) }
            .map { ($0.loaded.dictionary.options, $0.contents) }
    }

    /// Puts a reading without errors in force, in place of the dictionary of its name.
    /// - Returns: whether it is a new version.
    package mutating func replace(by reading: DictionaryReading, at nowMicroseconds: UInt64) -> Bool {
        guard let index = index(of: reading), let dictionary = reading.dictionary else { return false }
        let last = items[index].loaded
        let isNew = last.dictionary.version != dictionary.version
        let time = isNew ? nowMicroseconds : last.loadedAtMicroseconds
        items[index] = Item(loaded: reading.loaded(at: time, orLast: nil), contents: reading.contents)
        return isNew
    }

    /// Keeps the dictionary in force, and notes the problems of its files.
    package mutating func note(errorsOf reading: DictionaryReading) {
        guard let index = index(of: reading) else { return }
        let last = items[index].loaded
        items[index] = Item(
            loaded: reading.loaded(at: last.loadedAtMicroseconds, orLast: last.dictionary), contents: reading.contents)
    }

    /// Returns whether events are resolved otherwise than by `previous`, regardless of versions: files with errors may call
    /// something private that the dictionary in force does not, and an error may stand at another line.
    package func resolveOtherwise(than previous: LoadedDictionaries) -> Bool {
        zip(dictionaries, previous.dictionaries)
            .contains { $0.protectedNames != $1.protectedNames || $0.broken != $1.broken }
    }

    private func index(of reading: DictionaryReading) -> Int? {
        items.firstIndex { $0.loaded.dictionary.options.name == reading.options.name }
    }
}
