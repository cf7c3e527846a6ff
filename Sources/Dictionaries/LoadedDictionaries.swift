package import API
package import Model

/// The dictionaries in force, in the order of the settings, each with what is wrong with its files as they are now.
package struct LoadedDictionaries: Sendable {
    private struct Item: Sendable {
        var loaded: LoadedDictionary
        /// What its folder had when it was last read, with errors or without.
        var contents: Int
    }

    private var items: [Item]

    /// - Parameters:
    ///   - loaded: what is in force.
    ///   - readings: what was read of their folders, in the same order.
    package init(_ loaded: [LoadedDictionary], readings: [DictionaryReading]) {
        items = zip(loaded, readings).map { Item(loaded: $0, contents: $1.contents) }
    }

    package var all: [LoadedDictionary] { items.map(\.loaded) }
    package var dictionaries: [EventDictionary] { items.map(\.loaded.dictionary) }

    /// `nil` when no dictionary of that name is in force.
    package subscript(name: String) -> LoadedDictionary? {
        items.first { $0.loaded.dictionary.options.name == name }?.loaded
    }

    /// The dictionaries in some folders, with what these had when they were last read.
    package func contents(of folders: Set<ExactString>) -> [(options: DictionaryOptions, contents: Int)] {
        items.filter { folders.contains($0.loaded.dictionary.options.path) }
            .map { ($0.loaded.dictionary.options, $0.contents) }
    }

    /// Puts a reading without errors in force, in place of the dictionary of its name.
    /// - Returns: whether that is another version.
    package mutating func replace(by reading: DictionaryReading, at nowMicroseconds: UInt64) -> Bool {
        guard let index = index(of: reading), let dictionary = reading.dictionary else { return false }
        let last = items[index].loaded
        let isNew = last.dictionary.version != dictionary.version
        let time = isNew ? nowMicroseconds : last.loadedAtMicroseconds
        items[index] = Item(loaded: reading.loaded(at: time, orLast: nil), contents: reading.contents)
        return isNew
    }

    /// Keeps the dictionary in force, and remembers what is wrong with its files.
    package mutating func note(errorsOf reading: DictionaryReading) {
        guard let index = index(of: reading) else { return }
        let last = items[index].loaded
        items[index] = Item(
            loaded: reading.loaded(at: last.loadedAtMicroseconds, orLast: last.dictionary), contents: reading.contents)
    }

    /// Whether other names are protected than by `previous`. Files with errors may call something private that the
    /// dictionary in force does not.
    package func protectsOthers(than previous: LoadedDictionaries) -> Bool {
        zip(dictionaries, previous.dictionaries).contains { $0.protectedNames != $1.protectedNames }
    }

    private func index(of reading: DictionaryReading) -> Int? {
        items.firstIndex { $0.loaded.dictionary.options.name == reading.options.name }
    }
}
