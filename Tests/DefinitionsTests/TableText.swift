import Definitions
import Model
import TestSupport

/// How table tests write dictionaries and problems.
enum TableText {
    static func text(of dictionary: EventDictionary, warnings: [DefinitionProblem]) -> String {
        var lines = dictionary.common.map { "common \(text(of: $0))" }
        for category in dictionary.categories {
            lines.append(
                "category \(category.name)\(category.title.map { " \"\($0)\"" } ?? "")\(about(category.description))")
            lines += category.parameters.map { "  \(text(of: $0))" }
            for definition in category.definitions {
                let marker = definition.isObsolete ? " [obsolete]" : ""
                lines.append("event \(definition.key)\(marker) line \(definition.line)\(about(definition.description))")
                lines += definition.parameters.map { "  \(text(of: $0))" }
            }
        }
        return lines.map { "\($0)\n" }.joined() + text(of: warnings)
    }

    static func text(of problems: [DefinitionProblem]) -> String {
        problems.map { "\($0)\n" }.joined()
    }

    private static func text(of parameter: Parameter) -> String {
        var text = "\(parameter.isObsolete ? "[obsolete] " : "")\(parameter.name): "
        if case .custom(let name, let meaning) = parameter.type {
            text += name.text + (meaning == nil ? "" : "*")
        } else {
            text += "!\(parameter.type.name)"
        }
        if parameter.isOptional { text += "?" }
        if let length = parameter.maximumBytes { text += " \(length)" }
        text += " line \(parameter.line)"
        if parameter.privacy != .public { text += " \(parameter.privacy)" }
        if let values = parameter.allowedValues { text += " {\(values.joined(separator: ","))}" }
        if let role = parameter.role { text += " \(role)" }
        return text + parameter.description.map { " | \($0)" }.joined()
    }

    private static func about(_ description: String) -> String {
        description.isEmpty
            ? "" : ": \(description.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "⏎"))"
    }
}

extension TableText {
    /// What the definition files of a table give.
    static func parse(_ table: TableFile) -> String {
        do throws(DictionaryError) {
            let parsed = try DictionaryParser.parse(table.definitionFiles, options: table.options)
            return text(of: parsed.dictionary, warnings: parsed.warnings)
        } catch {
            return text(of: error.problems)
        }
    }
}
