import Foundation
import Generate
import Model

extension Generator {
    static func files(_ language: TemplateSet.BuiltIn, for dictionary: EventDictionary) throws -> [GeneratedFile] {
        try Generator(TemplateSet(builtIn: language)).files(for: dictionary)
    }

    /// What a driver of the tests makes, named as the built-in templates of the language name things.
    static func driver(_ language: String, for dictionary: EventDictionary) throws -> [GeneratedFile] {
        let naming = "Sources/Generate/Templates/\(language)_language.mustache"
        return try driver(language, for: dictionary, naming: Folders.project.appending(path: naming))
    }

    /// - Parameter naming: the template that says how things are named.
    static func driver(
        _ language: String, for dictionary: EventDictionary, naming: URL
    ) throws -> [GeneratedFile] {
        var templates = ["language": try String(contentsOf: naming, encoding: .utf8)]
        let folder = Folders.fixtures.appending(path: "drivers")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where file.lastPathComponent.hasPrefix("\(language)_") {
            templates[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return try Generator(TemplateSet(name: "driver", templates: templates)).files(for: dictionary)
    }
}

extension TemplateSet {
    /// The example of templates that users write.
    static func kotlin() throws -> TemplateSet {
        var templates: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(at: Folders.kotlin, includingPropertiesForKeys: nil) {
            templates[file.deletingPathExtension().lastPathComponent] = try String(contentsOf: file, encoding: .utf8)
        }
        return try TemplateSet(name: "kotlin", templates: templates)
    }
}

extension [GeneratedFile] {
    func write(to folder: URL) throws {
        for file in self {
            let url = folder.appending(path: file.path)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: url)
        }
    }
}
