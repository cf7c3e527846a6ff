package import JSON
package import Model

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
