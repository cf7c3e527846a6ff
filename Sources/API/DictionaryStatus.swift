package import Model

/// A dictionary as it is loaded.
package struct DictionaryStatus: Sendable, Hashable, Codable {
    package var name: String
    package var path: String
    /// Which events are looked up in it: globs.
    package var subsystem: String
    package var category: String
    package var version: String
    /// How many events it defines.
    package var definitions: Int
    package var loadedAt: WireTime
    /// Why the files as they are now could not be loaded; the last good ones are in force then.
    package var problem: String?

    package init(
        name: String, path: String, subsystem: String, category: String, version: String, definitions: Int,
        loadedAt: WireTime, problem: String? = nil
    ) {
        self.name = name
        self.path = path
        self.subsystem = subsystem
        self.category = category
        self.version = version
        self.definitions = definitions
        self.loadedAt = loadedAt
        self.problem = problem
    }

    package init(_ dictionary: EventDictionary, loadedAtMicroseconds: UInt64, problem: String? = nil) {
        self.init(
            name: dictionary.options.name, path: dictionary.options.path,
            subsystem: dictionary.options.subsystem.pattern, category: dictionary.options.category.pattern,
            version: dictionary.version,
            definitions: dictionary.categories.reduce(0) { $0 + $1.definitions.count },
            loadedAt: WireTime(microseconds: loadedAtMicroseconds), problem: problem)
    }
}

/// `GET /v1/dictionaries`, in the order of the settings: the first one that fits an event is used for it.
package struct DictionaryList: Sendable, Hashable, Codable {
    package var dictionaries: [DictionaryStatus]

    package init(dictionaries: [DictionaryStatus]) {
        self.dictionaries = dictionaries
    }
}
