import Definitions
import Model
import TestSupport

/// How table tests write dictionaries and problems.
enum TableText {
    static func text(of dictionary: EventDictionary, warnings: [DefinitionProblem]) -> String {
        var lines = dictionary.common.map { "common \(text(of: $0))" }
        for type in dictionary.types {
            lines.append(
                "type \(type.name) \(type.file):\(type.line)\(about(type.description)) \(text(of: type.meaning))")
            lines += type.members.map { "  \(text(of: $0))" }
        }
        for category in dictionary.categories {
            if let name = category.sentName { lines.append("sent as \(name), category \(category.name)") }
            if let allows = category.allowsExtra { lines.append("extra \(allows), category \(category.name)") }
            lines.append(
                "category \(category.name)\(category.title.map { " \"\($0)\"" } ?? "")\(about(category.description))")
            lines += category.parameters.map { "  \(text(of: $0))" }
            for definition in category.definitions {
                let marker = definition.isObsolete ? " [obsolete]" : ""
                lines.append("event \(definition.key)\(marker) line \(definition.line)\(about(definition.description))")
                if let name = definition.sentName { lines.append("  sent as \(name)") }
                if let allows = definition.allowsExtra { lines.append("  extra \(allows)") }
                lines += definition.parameters.map { "  \(text(of: $0))" }
            }
        }
        return lines.map { "\($0)\n" }.joined() + text(of: warnings)
    }

    static func text(of problems: [DefinitionProblem]) -> String {
        problems.map { "\($0)\n" }.joined()
    }

    private static func text(of meaning: CustomType) -> String {
        switch meaning {
        case .same(let other): "= \(other.text())"
        case .values(let values): "{\(values.map(\.text).joined(separator: ","))}"
        case .object(let object): "object\(object.allowsExtra ? " with extra members" : "")"
        }
    }

    private static func text(of parameter: Parameter) -> String {
        var text = "\(parameter.isObsolete ? "[obsolete] " : "")\(parameter.name): "
        if case .custom(let name, let meaning) = parameter.type {
            text += "\(name)\(meaning == nil ? "" : "*")\(parameter.isOptional ? "?" : "")"
        } else {
            text += parameter.typeText
        }
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
