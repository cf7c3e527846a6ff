import Definitions
import Foundation
import Model
import TestSupport

/// What daifuku reads of one file. Texts are compared by their words.
struct DaifukuReading: Codable, Equatable {
    struct Parameter: Codable, Equatable {
        var name: String
        var type: String
        var custom: Bool
        var optional: Bool
        var length: Int?
        var obsolete: Bool
        var description: [String]
    }

    struct Event: Codable, Equatable {
        var name: String
        var obsolete: Bool
        var paragraphs: [String]
        var parameters: [Parameter]
    }

    var paragraphs: [String]?
    var parameters: [Parameter]?
    var events: [Event]?
    /// Why daifuku refuses the file.
    var error: String?

    private static let ruby = Tool("/usr/bin/ruby", package: "ruby ruby-redcarpet ruby-nokogiri")

    static var reasonToSkip: String? { ruby.reasonToSkip }

    /// Reads the texts with the real Redcarpet.
    static func read(_ texts: [String]) async throws -> [DaifukuReading] {
        let program = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/daifuku.rb").path
        return try await withTemporaryFolder { folder in
            let (input, output) = (folder.appending(path: "texts.json"), folder.appending(path: "readings.json"))
            try JSONEncoder().encode(texts).write(to: input)
            try ruby.run([program, input.path, output.path])
            return try JSONDecoder().decode([DaifukuReading].self, from: Data(contentsOf: output))
        }
    }
}

extension DaifukuReading {
    /// What Gloss reads: daifuku drops events that have nothing, and knows no annotations.
    init(_ dictionary: EventDictionary, _ problems: [DefinitionProblem]) {
        let category = dictionary.categories[0]
        let dropped = Set(problems.filter { $0.rule == .droppedEvent }.map(\.line))
        paragraphs = [category.description]
        parameters = category.parameters.map(Parameter.init)
        events = category.definitions.filter { !dropped.contains($0.line) }.map { definition in
            Event(
                name: definition.key.name, obsolete: definition.isObsolete, paragraphs: [definition.description],
                parameters: definition.parameters.map(Parameter.init))
        }
    }

    /// The reading without annotations and without differences in white space.
    var plain: DaifukuReading {
        var plain = self
        plain.paragraphs = paragraphs.map { [Self.description($0)] }
        plain.parameters = parameters?.map(\.plain)
        plain.events = events?.map { event in
            var event = event
            event.paragraphs = [Self.description(event.paragraphs)]
            event.parameters = event.parameters.map(\.plain)
            return event
        }
        return plain
    }

    /// The notation of `docs/dialect.md`.
    var text: String {
        if let error { return "refused: \(Self.words(error))\n" }
        let plain = plain
        var lines = plain.paragraphs?.filter { !$0.isEmpty } ?? []
        lines += plain.parameters?.map(\.text) ?? []
        for event in plain.events ?? [] {
            let about = event.paragraphs.filter { !$0.isEmpty }.map { ": \($0)" }.joined()
            lines.append("\(event.obsolete ? "[obsolete] " : "")event \(event.name)\(about)")
            lines += event.parameters.map(\.text)
        }
        return lines.map { "\($0)\n" }.joined()
    }

    /// The first lines that differ.
    func difference(to other: DaifukuReading) -> String {
        let (one, two) = (text.split(separator: "\n"), other.text.split(separator: "\n"))
        let same = zip(one, two).prefix { $0 == $1 }.count
        return "\(one.dropFirst(same).first ?? "nothing") and \(two.dropFirst(same).first ?? "nothing")"
    }

    /// The words of a text, without the lines that are annotations.
    fileprivate static func description(_ paragraphs: [String]) -> String {
        let lines = paragraphs.joined(separator: "\n").split(whereSeparator: \.isNewline).filter { line in
            let line = line.drop { $0 == " " || $0 == "\t" }
            return !line.hasPrefix("sent as: ") && !line.hasPrefix("extra parameters: ")
        }
        return words(lines.joined(separator: "\n"))
    }

    fileprivate static func words(_ text: String) -> String {
        text.split { $0 == " " || $0 == "\t" || $0.isNewline }.joined(separator: " ")
    }
}

extension DaifukuReading.Parameter {
    fileprivate init(_ parameter: Parameter) {
        var isCustom = false
        if case .custom = parameter.type { isCustom = true }
        self.init(
            name: parameter.name, type: parameter.type.name, custom: isCustom, optional: parameter.isOptional,
            length: parameter.type.limit, obsolete: parameter.isObsolete, description: parameter.description)
    }

    fileprivate var plain: Self {
        var plain = self
        plain.description = description.map(DaifukuReading.words).filter { line in
            line != "user" && line != "device" && !line.hasPrefix("privacy: ") && !line.hasPrefix("values: ")
        }
        return plain
    }

    fileprivate var text: String {
        let type = "\(custom ? "" : "!")\(type)\(optional ? "?" : "")\(length.map { " \($0)" } ?? "")"
        return (["  \(obsolete ? "[obsolete] " : "")\(name): \(type)"] + description).joined(separator: " | ")
    }
}
