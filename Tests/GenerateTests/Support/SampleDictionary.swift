import Definitions
import Foundation
import Model

/// The dictionaries that code is generated from.
enum SampleDictionary: String, CaseIterable, CustomStringConvertible, Sendable {
    /// The one that users get as an example.
    case sample
    /// Every construct of the format.
    case everything
    /// Objects and arrays.
    case nested
    /// Names and texts that break code.
    case nasty
    /// The name of the event alone, and its parameters in an object.
    case envelope
    /// The key in an object.
    case nestedKey
    /// The name and the object with the parameters in an object.
    case deepEnvelope
    /// The category in the journal.
    case journalKey
    /// Category and name in the journal.
    case noKey

    var description: String { rawValue }

    func load() throws -> EventDictionary {
        let name = self == .nasty ? #"x"""+__import__("sys").exit("\(x)")+""""# : rawValue
        var options = DictionaryOptions(name: name, path: path, layout: layout, types: types)
        // Some of them are defined, too.
        if hasExtra { options.extraParameters = .named(["log_id", "order_id", "event_name", "\"$\\"]) }
        var files = try DictionaryFolder.files(in: path, ignore: [])
        if self == .nasty {
            // Beside class.md, which not every file system would allow.
            files.append(DefinitionFile(name: "Class.md", bytes: Array("## show\n\nShown.\n".utf8)))
        }
        return try DictionaryParser.parse(files, options: options).dictionary
    }

    private var path: String {
        switch self {
        case .sample: Folders.project.appending(path: "config/definitions").path
        case .everything:
            Folders.project.appending(path: "Tests/DefinitionsTests/Fixtures/dictionaries/everything").path
        case .nested, .nasty: Folders.fixtures.appending(path: rawValue).path
        case .envelope, .nestedKey, .deepEnvelope, .journalKey, .noKey: Folders.fixtures.appending(path: "layouts").path
        }
    }

    private var layout: PayloadLayout {
        switch self {
        case .sample, .everything, .nested, .nasty: .usual
        case .envelope:
            PayloadLayout(category: .definingFile, name: member("event"), parametersAt: MemberPath("properties"))
        case .nestedKey: PayloadLayout(category: member("meta.category"), name: member("meta.event"))
        case .deepEnvelope:
            PayloadLayout(category: .definingFile, name: member("data.schema"), parametersAt: MemberPath("data.data"))
        case .journalKey: PayloadLayout(category: .journalField("EVENT_CATEGORY"), name: member("name"))
        case .noKey:
            PayloadLayout(
                category: .journalField("EVENT_CATEGORY"), name: .journalField("EVENT_NAME"),
                parametersAt: MemberPath("data"))
        }
    }

    private func member(_ path: String) -> KeyPart { .member(MemberPath(path)) }

    private var hasExtra: Bool { self == .nested || self == .envelope || self == .deepEnvelope }

    private var types: [ExactString: CustomType] {
        switch self {
        case .sample, .nested, .envelope, .nestedKey, .deepEnvelope, .journalKey, .noKey: [:]
        case .everything: ["RecipeID": .same(as: .bigint), "SearchOrder": .values(["new", "popular", "人気順"])]
        case .nasty:
            [
                "Order": .values(["new", "popular", "1", "true", "10.5"]),
                "Mood": .values(["happy", "", "sad:(", "$x", "\\", "\u{202E}", "\"", "{{name}}", "\\(x)"]),
            ]
        }
    }
}

enum Folders {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    static let fixtures = tests.appending(path: "Fixtures")
    static let project = tests.deletingLastPathComponent().deletingLastPathComponent()
    static let kotlin = project.appending(path: "config/templates/kotlin")
}
