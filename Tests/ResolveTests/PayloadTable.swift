import Definitions
import Model
import Resolve
import TestSupport

/// The payloads of a table, resolved by the dictionary that its definition files make.
struct PayloadTable {
    private var resolver: Resolver

    /// - Parameter table: when its definition files are in error, there is no dictionary, and the outcomes show it.
    init(_ table: TableFile) {
        let parsed = try? DictionaryParser.parse(table.definitionFiles, options: table.options)
        resolver = Resolver(
            dictionaries: parsed.map { [$0.dictionary] } ?? [],
            protection: Protection(mode: .protect, key: Array("a key for tests".utf8)))
    }

    /// - Parameter part: its name is `payload`, with the names of flaws and key fields (`NAME=value`) after it; its text is the
    ///   payload.
    mutating func resolve(_ part: TableFile.Part) -> String {
        var flaws: Entry.Flaws = []
        if part.name.contains("cut") { flaws.insert(.cut) }
        if part.name.contains("split") { flaws.insert(.split) }
        if part.name.contains("damaged") { flaws.insert(.damaged) }
        var keyFields: [ExactString: String] = [:]
        for word in part.name.split(separator: " ") {
            if let field = word.parts(at: "=") { keyFields[String(field.before)] = String(field.after) }
        }
        let origin = Origin.sample(keyFields: KeyFields(keyFields))
        let payload = Array(part.text.utf8.dropLast())
        return payload.withUnsafeBytes {
            TableText.text(of: resolver.resolve($0, from: origin, flaws: flaws))
        }
    }
}
