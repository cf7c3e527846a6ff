import Mustache

// The keys of templates about where payloads have their parts.

extension WriteStep: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "literal": dialect.literal(member)
        case "is_open": action == .open
        case "is_close": action == .close
        case "is_category": action == .category
        case "is_name": action == .name
        default: nil
        }
    }
}

extension PayloadNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch name {
        case "members": members
        case "has_members": !members.isEmpty
        case "required": required.map(dialect.literal)
        case "may_be_null": required.isEmpty
        case "conditions": conditions
        case "has_conditions": !conditions.isEmpty
        case "allows_extra": allowsExtra
        default: nil
        }
    }
}

extension PayloadMemberNode: TemplateNode {
    func value(named name: String) -> Any? {
        switch (name, content) {
        case ("literal", _): dialect.literal(self.name)
        case ("is_parameter", .parameter(_, isCommon: false)): true
        case ("is_common", .parameter(_, isCommon: true)): true
        case ("is_key", .key), ("is_anything", .anything): true
        case ("is_parameter", _), ("is_common", _), ("is_key", _), ("is_anything", _): false
        case ("value", .key(let text)): dialect.literal(text)
        case ("payload", .object(let payload)): payload
        case ("payload", _): false
        case (_, .parameter(let parameter, _)): parameter.value(named: name)
        default: nil
        }
    }
}

extension PresenceNode: TemplateNode {
    func value(named name: String) -> Any? { name == "places" ? places : nil }
}

extension PlaceNode: TemplateNode {
    func value(named name: String) -> Any? {
        let inner = names.dropFirst()
        return switch name {
        case "literal": dialect.literal(names.first ?? "")
        case "has_inner": !inner.isEmpty
        case "inner": inner.isEmpty ? false : PlaceNode(names: inner, value: value, dialect: dialect) as Any
        case "value": inner.isEmpty ? value.map { dialect.literal($0) as Any } ?? false : false
        default: nil
        }
    }
}
