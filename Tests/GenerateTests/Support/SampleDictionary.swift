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

    var description: String { rawValue }

    func load() throws -> EventDictionary {
        let name = self == .nasty ? #"x"""+__import__("sys").exit("\(x)")+""""# : rawValue
        var options = DictionaryOptions(name: name, path: path, types: types)
        // Some of them are defined, too.
        if self == .nested { options.extraParameters = .named(["log_id", "order_id", "event_name", "\"$\\"]) }
        var files = try DictionaryFolder.files(in: path)
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
        }
    }

    private var types: [ExactString: CustomType] {
        switch self {
        case .sample, .nested: [:]
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
