import Model
import Mustache

/// A column of a table with the events of one definition.
struct ColumnNode: TemplateNode {
    let column: ParameterColumn
    let language: Language

    func value(named name: String) -> Any? {
        let parameter = column.parameter
        let base = BaseType(parameter.type)
        let limit = base == .string ? parameter.type.checked.limit : nil
        return switch name {
        case "column": column.name
        case "path": column.path
        case "type": language.types[base] ?? ""
        case "definition": parameter.typeText
        case "base": base.rawValue
        case "is": BaseNode(base: base)
        case "maximum_bytes": limit.map(String.init) ?? ""
        case "has_maximum": limit != nil
        case "may_be_null": column.mayBeNull
        case "is_private": parameter.privacy == .private
        case "is_hashed": parameter.privacy == .hash
        case "doc": parameter.description.flatMap(language.dialect.comment)
        case "has_doc": !parameter.description.isEmpty
        default: nil
        }
    }
}
