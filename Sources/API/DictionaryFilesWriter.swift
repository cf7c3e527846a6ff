import FoundationEssentials
import JSON
package import Model

/// Writes a `DictionaryFiles` file by file.
package struct DictionaryFilesWriter: Sendable {
    private var json = JSONWriter()

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
        file.bytes.withUnsafeBytes { json.string(utf8: $0) }
        if String(validating: file.bytes, as: UTF8.self) == nil {
            json.key("base64")
            json.string(Data(file.bytes).base64EncodedString())
        }
        json.endObject()
    }

    package mutating func finish() {
        json.endArray()
        json.endObject()
    }

    /// How much was written since the last `take`.
    package var pendingBytes: Int { json.bytes.count }

    /// What was written since the last time.
    package mutating func take() -> [UInt8] {
        let bytes = json.bytes
        // Without its memory: one large file is no reason to keep much for the small ones that follow.
        json.bytes = []
        return bytes
    }
}
