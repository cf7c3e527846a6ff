import Model

/// Builds the nodes of payloads. They say the same as the module Resolve checks.
struct PayloadBuilder {
    let layout: PayloadLayout
    let dialect: Dialect
    /// The common parameters that no parameter of the event takes the place of, with the obsolete ones at the end.
    let common: [ParameterNode]
    /// What else may stand beside the object with the parameters of events.
    let outerExtra: ExtraParameters

    /// What differs between events.
    struct Event {
        var category: String
        var name: String
        /// Those of the category and its own, with the obsolete ones at the end.
        var parameters: [ParameterNode]
        /// What else it may have.
        var extra: ExtraParameters
    }

    private var envelope: [String] { layout.parametersAt?.steps ?? [] }

    func payload(of event: Event) -> PayloadNode { object(0, of: event) }

    /// - Parameter level: how much of the path to the parameters leads to the object.
    private func object(_ level: Int, of event: Event) -> PayloadNode {
        let envelope = envelope
        let place = level == 0 ? nil : MemberPath(envelope[..<level].joined(separator: "."))
        let next = envelope.dropFirst(level).first
        let own = next == nil ? event.parameters : []
        let extra = next == nil ? event.extra : outerExtra
        let shared = level == 0 || next != nil ? common : []
        let keyNames = layout.keyNames(in: place)
        let known = Set(exact: keyNames)
        var members = own.map { member($0.name, .parameter($0, isCommon: false)) }
        members += shared.map { member($0.name, .parameter($0, isCommon: true)) }
        members += extra.names.filter { !known.contains($0) }.map { member($0, .anything) }
        members += keyNames.map { name in
            member(name, (place == nil ? value(at: name, event) : nil).map { .key($0) } ?? .anything)
        }
        var required = level == 0 ? layout.members.filter { $0.steps.count == 1 }.map(\.text) : []
        required += own.requiredNames
        // In several objects around the parameters, they may be in each.
        if envelope.count < 2 { required += shared.requiredNames }
        if let next {
            let inner = object(level + 1, of: event)
            members.removeAll { $0.name == next }
            members.append(member(next, .object(inner)))
            if !inner.required.isEmpty { required.append(next) }
        }
        return PayloadNode(
            members: members.firstOfEachName, required: required, conditions: level == 0 ? conditions(for: event) : [],
            allowsExtra: extra == .all, dialect: dialect)
    }

    private func member(_ name: String, _ content: PayloadMemberNode.Content) -> PayloadMemberNode {
        PayloadMemberNode(name: name, content: content, dialect: dialect)
    }

    /// Returns the part of the key whose path is `text`.
    private func value(at text: String, _ event: Event) -> String? {
        if layout.category.member?.text == text { return event.category }
        return layout.name.member?.text == text ? event.name : nil
    }

    private func conditions(for event: Event) -> [PresenceNode] {
        var conditions: [PresenceNode] = []
        for path in layout.members where path.steps.count > 1 {
            let value = value(at: path.text, event)
            // As a member whose name has dots, or in objects.
            conditions.append(
                PresenceNode(
                    places: [[path.text], path.steps].map {
                        PlaceNode(names: $0[...], value: value, dialect: dialect)
                    }))
        }
        guard envelope.count > 1 else { return conditions }
        return conditions
            + common.requiredNames.map { name in
                PresenceNode(
                    places: envelope.indices.map { level in
                        PlaceNode(names: (envelope[..<level] + [name])[...], value: nil, dialect: dialect)
                    })
            }
    }
}

extension PayloadLayout {
    /// Returns the names of members of the object at `place` that have a part of the key, or may contain one.
    /// - Parameter place: `nil` for the payload itself.
    func keyNames(in place: MemberPath?) -> [String] {
        var names: [String] = []
        var known: Set<ExactString> = []
        for path in members {
            let rest = place.map { path.text.rest(after: "\($0).").map { String($0) } } ?? path.text
            guard let steps = rest.map({ MemberPath($0).steps }) else { continue }
            for count in 1...steps.count {
                let name = steps[..<count].joined(separator: ".")
                if known.insert(name) { names.append(name) }
            }
        }
        return names
    }
}

extension [ParameterNode] {
    fileprivate var requiredNames: [String] { filter { !$0.type.isOptional && !$0.isObsolete }.map(\.name) }
}

extension [PayloadMemberNode] {
    fileprivate var firstOfEachName: [PayloadMemberNode] {
        var names: Set<ExactString> = []
        return filter { names.insert($0.name) }
    }
}
