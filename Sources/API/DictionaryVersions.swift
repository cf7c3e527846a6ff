/// A version of a dictionary: the contents that it had.
package struct DictionaryVersionReply: Sendable, Hashable, Codable, DescribedObject {
    package var version: String
    package var loadedAt: WireTime
    package var lastLoadedAt: WireTime
    package var definitions: Int
    package var key: [String]
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

    package static let object = ObjectDescription(
        "DictionaryVersion", "A version of a dictionary",
        [
            member("version", \.version, "Its name: a digest of the contents", "00c0ffee00c0ffee"),
            member("loaded_at", \.loadedAt, "When it first came into force", .earlierExample),
            member("last_loaded_at", \.lastLoadedAt, "When it last came into force", .example),
            member("definitions", \.definitions, "The number of events that it defines", 3),
            member(
                "key", \.key, "Where events had their category and name, or only the name",
                ["event_category", "event_name"]),
            member("files", \.files, "Whether its files are still kept", true),
        ])
}

/// `GET /v1/dictionaries/{dictionary}/versions`, newest first.
package struct DictionaryVersionList: Sendable, Hashable, Codable, DescribedObject {
    package var dictionary: String
    package var current: String
    package var versions: [DictionaryVersionReply]

    package init(dictionary: String, current: String, versions: [DictionaryVersionReply]) {
        self.dictionary = dictionary
        self.current = current
        self.versions = versions
    }

    package static let object = ObjectDescription(
        "DictionaryVersionList", "The versions that a dictionary had",
        [
            member("dictionary", \.dictionary, "The name of the dictionary", "shop"),
            member("current", \.current, "The version in force", "00c0ffee00c0ffee"),
            member("versions", \.versions, "The newest first"),
        ])
}

/// `GET /v1/dictionaries/{dictionary}/versions/{version}`: the files of a version.
package struct DictionaryFiles: Sendable, Hashable, Codable, DescribedObject {
    package struct File: Sendable, Hashable, Codable, DescribedObject {
        package var name: String
        package var text: String
        package var base64: String?

        package init(name: String, text: String, base64: String? = nil) {
            self.name = name
            self.text = text
            self.base64 = base64
        }

        package static let object = ObjectDescription(
            "DictionaryFile", "A file of a dictionary",
            [
                member("name", \.name, "Its name", "recipe_detail.md"),
                member("text", \.text, "Its contents; invalid UTF-8 is repaired", "# recipe_detail\n"),
                member("base64", \.base64, "Its contents in Base64; absent if they are valid UTF-8", nil),
            ])
    }

    package var dictionary: String
    package var version: String
    package var files: [File]

    package init(dictionary: String, version: String, files: [File]) {
        self.dictionary = dictionary
        self.version = version
        self.files = files
    }

    package static let object = ObjectDescription(
        "DictionaryFiles", "The files of one version of a dictionary",
        [
            member("dictionary", \.dictionary, "The name of the dictionary", "shop"),
            member("version", \.version, "The version", "00c0ffee00c0ffee"),
            member("files", \.files, "Sorted by name"),
        ])
}
