package import JSON
package import Model

/// One content that a dictionary had.
package struct DictionaryVersionReply: Sendable, Hashable, Codable {
    package var version: String
    /// When it was first in force.
    package var loadedAt: WireTime
    /// When it was last put in force.
    package var lastLoadedAt: WireTime
    /// How many events it defines.
    package var definitions: Int
    /// The payload keys of event category and event name.
    package var key: [String]
    /// Whether its files are still kept.
    package var files: Bool

    package init(
        version: String, loadedAt: WireTime, lastLoadedAt: WireTime, definitions: Int, key: [String], files: Bool
    ) {
        self.version = version
        self.loadedAt = loadedAt
        self.lastLoadedAt = lastLoadedAt
        self.definitions = definitions
        self.key = key
        self.files = files
    }
}

/// `GET /v1/dictionaries/{dictionary}/versions`, newest first.
package struct DictionaryVersionList: Sendable, Hashable, Codable {
    package var dictionary: String
    /// The version in force.
    package var current: String
    package var versions: [DictionaryVersionReply]

    package init(dictionary: String, current: String, versions: [DictionaryVersionReply]) {
        self.dictionary = dictionary
        self.current = current
        self.versions = versions
    }
}

/// `GET /v1/dictionaries/{dictionary}/versions/{version}`: the files as they were.
package struct DictionaryFiles: Sendable, Hashable, Codable {
    package struct File: Sendable, Hashable, Codable {
        package var name: String
        /// Invalid UTF-8 is repaired; `base64` has the bytes then.
        package var text: String
        package var base64: String?

        package init(name: String, text: String, base64: String? = nil) {
            self.name = name
            self.text = text
            self.base64 = base64
        }
    }

    package var dictionary: String
    package var version: String
    /// Sorted by name.
    package var files: [File]

    package init(dictionary: String, version: String, files: [File]) {
        self.dictionary = dictionary
        self.version = version
        self.files = files
    }
}

/// Writes a `DictionaryFiles` file by file.
package struct DictionaryFilesWriter: Sendable {
    private var json = JSONWriter(keepingFrom: JSONPieces.partBytes)

    package init(dictionary: String, version: String) {
        json.beginObject()
        json.key("dictionary")
        json.string(dictionary)
        json.key("version")
        json.string(version)
        json.key("files")
        json.beginArray()
    }

    package mutating func append(_ file: DefinitionFile) {
        json.beginObject()
        json.key("name")
        json.string(file.name)
        json.key("text")
        json.value(LargeValue(.text, file.bytes))
        if !file.bytes.isUTF8 {
            json.key("base64")
            json.value(LargeValue(.base64, file.bytes))
        }
        json.endObject()
    }

    package mutating func finish() {
        json.endArray()
        json.endObject()
    }

    /// About how much was written since the last `take`.
    package var pendingBytes: Int { json.pendingBytes }

    /// What was written since the last time.
    package mutating func take() -> JSONPieces { json.take() }
}
