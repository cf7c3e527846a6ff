package import Model

/// One content that a dictionary had.
package struct DictionaryVersion: Sendable, Hashable {
    /// The dictionary's name in the settings.
    @Exact package var dictionary: String
    /// 16 hexadecimal digits, as events have it.
    @Exact package var version: String
    /// When it was loaded first, microseconds since 1970.
    package var loadedMicroseconds: UInt64
    /// When it was loaded last, microseconds since 1970.
    package var lastLoadedMicroseconds: UInt64
    /// How many there are in it.
    package var definitions: Int
    /// The payload keys that hold the event category and the event name.
    @Exact package var categoryKey: String
    @Exact package var nameKey: String
    /// Whether its files are kept.
    package var hasFiles: Bool

    package init(
        dictionary: String, version: String, loadedMicroseconds: UInt64, lastLoadedMicroseconds: UInt64,
        definitions: Int, categoryKey: String, nameKey: String, hasFiles: Bool
    ) {
        self.dictionary = dictionary
        self.version = version
        self.loadedMicroseconds = loadedMicroseconds
        self.lastLoadedMicroseconds = lastLoadedMicroseconds
        self.definitions = definitions
        self.categoryKey = categoryKey
        self.nameKey = nameKey
        self.hasFiles = hasFiles
    }
}
