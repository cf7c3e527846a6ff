import Model
import Mustache

// The keys of templates. A key without a value is `false` or empty rather than absent, because Mustache would look an
// absent key up in the outer contexts.

extension DictionaryNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "literal": dialect.literal(self.name)
        case "version": version
        case "header": header
        case "category_key": categoryKey.map { dialect.literal($0) as Any } ?? false
        case "name_key": nameKey.map { dialect.literal($0) as Any } ?? false
        case "required_keys": [categoryKey, nameKey].compactMap(\.self).map(dialect.literal)
        case "opening": opening
        case "has_opening": !opening.isEmpty
        case "closing": closing
        case "has_objects": opening.contains { $0.action == .open }
        case "writes_whole_key": opening.contains { $0.action == .category } && opening.contains { $0.action == .name }
        case "common": common
        case "required_common": common.filter { !$0.type.isOptional }
        case "optional_common": common.filter(\.type.isOptional)
        case "obsolete_common": obsoleteCommon
        case "has_common": !common.isEmpty
        case "has_shadowed": common.contains(where: \.isShadowed)
        case "enumerations": enumerations
        case "has_enumerations": !enumerations.isEmpty
        case "types": types
        case "has_types": !types.isEmpty
        case "categories": categories
        case "has_categories": !categories.isEmpty
        case "events": categories.flatMap(\.events)
        case "has_events": categories.contains { !$0.events.isEmpty }
        case "sent_names": sentNames
        default: nil
        }
    }
}

extension DictionaryNode {
    /// The names of events in payloads, in the order of the events.
    private var sentNames: [SentName] {
        var order: [String] = []
        var events: [ExactString: [EventNode]] = [:]
        for event in categories.flatMap(\.events) {
            if events[event.sentAs] == nil { order.append(event.sentAs) }
            events[event.sentAs, default: []].append(event)
        }
        return order.map { SentName(text: $0, events: events[$0] ?? [], dialect: dialect) }
    }
}

extension SentName: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "sent_as": dialect.literal(text)
        case "is_unique": events.count == 1
        case "events": events
        default: nil
        }
    }
}

extension NamedNode {
    /// Returns the value for the keys that all with a name share.
    fileprivate func forms(named name: String) -> Any? {
        switch name {
        case "name": self.name
        case "literal": dialect.literal(self.name)
        case "shown": dialect.comment(self.name).joined()
        case "anchor": anchor
        default: names.value(named: name)
        }
    }
}

extension DescribedNode {
    /// Returns the value for the keys that categories, events, parameters and types share.
    fileprivate func described(named name: String) -> Any? {
        switch name {
        case "doc": doc
        case "has_doc": !doc.isEmpty
        case "description": dialect.literal(description)
        default: forms(named: name)
        }
    }
}

extension CategoryNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "enumerations": enumerations
        case "has_enumerations": !enumerations.isEmpty
        case "events": events
        case "category": self
        case "sent_as": dialect.literal(sentAs)
        case "has_events": !events.isEmpty
        case "has_usable_events": events.contains { $0.obsolete == nil }
        default: described(named: name)
        }
    }
}

extension EventNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "event": self
        case "sent_as": dialect.literal(sentAs)
        case "title": dialect.literal("\(category)/\(self.name)")
        case "reference": "\(Self.anchor(of: category)).\(anchor)"
        case "payload": payload
        case "is_obsolete": obsolete != nil
        case "obsolete_message": dialect.literal(obsolete ?? "")
        case "parameters": parameters
        case "has_parameters": !parameters.isEmpty
        case "shadowed": shadowed.map(dialect.literal)
        case "has_shadowed": !shadowed.isEmpty
        case "required_parameters": parameters.filter { !$0.type.isOptional }
        case "optional_parameters": parameters.filter(\.type.isOptional)
        case "obsolete_parameters": obsoleteParameters
        case "table": table
        case "columns": columns()
        case "has_columns": !columns().isEmpty
        case "allows_extra": allowsExtra
        case "extra_names": extraNames.map(dialect.literal)
        case "types": ObjectNode.used(by: parameters + obsoleteParameters + common)
        case "has_types": !ObjectNode.used(by: parameters + obsoleteParameters + common).isEmpty
        default: described(named: name)
        }
    }
}

extension ObjectNode: TemplateNode {
    func value(named name: String) -> Any? {
        let usable = members.filter { !$0.isObsolete }
        return switch name {
        case "members": usable
        case "has_members": !usable.isEmpty
        case "required_members": usable.filter { !$0.type.isOptional }
        case "optional_members": usable.filter(\.type.isOptional)
        case "all_members": members
        case "has_all_members": !members.isEmpty
        case "has_properties": !members.isEmpty || keyNames?.isEmpty == false
        case "allows_extra": allowsExtra
        case "has_key": keyNames != nil
        case "key_names": (keyNames ?? []).map(dialect.literal)
        default: described(named: name)
        }
    }
}

extension ParameterNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "is_element": false
        case "is_obsolete": isObsolete
        case "is_shadowed": isShadowed
        case "may_be_null": type.isOptional || isObsolete
        case "is_private": privacy == .private
        case "is_hashed": privacy == .hash
        case "is_user": role == .user
        case "is_device": role == .device
        default: type.value(named: name) ?? described(named: name)
        }
    }
}

extension TypeNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "definition": definition
        case "base": base.rawValue
        case "is": BaseNode(base: base)
        case "type": self.name
        case "is_element": true
        case "is_optional", "may_be_null": isOptional
        case "maximum_bytes": base == .string ? limitText : ""
        case "has_maximum": base == .string && limit != nil
        case "maximum_count": base == .array ? limitText : ""
        case "has_maximum_count": base == .array && limit != nil
        case "limit": limitText
        case "has_limit": limit != nil
        case "has_limits": hasLimits
        case "enumeration": enumeration.map { $0 as Any } ?? false
        case "object": object.map { $0 as Any } ?? false
        case "element": element.map { $0 as Any } ?? false
        default: nil
        }
    }

    private var limitText: String { limit.map(String.init) ?? "" }
}

/// The keys `is.bigint` and so on: the type as which a value is checked.
struct BaseNode: TemplateNode {
    let base: BaseType

    func value(named name: String) -> Any? { BaseType(rawValue: name).map { $0 == base } }
}

extension EnumerationNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "is_shared": isShared
        case "is_text": isText
        case "values": values
        case "accepted": accepted
        default: forms(named: name)
        }
    }
}

extension ValueNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "text": text
        case "literal": dialect.literal(text)
        default: names.value(named: name)
        }
    }
}

extension Names: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "camel": camel
        // The name before a colon.
        case "label": camel.withoutBackquotes
        case "pascal": pascal
        case "snake": snake
        case "constant": constant
        default: nil
        }
    }
}
