import Model

/// Payloads for one event: one that keeps to its definition, and everything that differs from it in one place.
struct PayloadSamples {
    struct Payload {
        var text: String
        /// The parameter, member or element that is not as it was.
        var changed: Parameter?
        /// What it has become, as JSON.
        var value: String?
    }

    /// The journal fields that have parts of the key.
    let fields: KeyFields
    private let layout: PayloadLayout
    private let category: String
    private let name: String
    /// The names of parameters that are in the payload itself.
    private let common: Set<ExactString>
    private let parameters: [Parameter]
    /// What the parameters become one by one.
    private let changes: [(parameter: Parameter, payload: Payload)]

    /// - Parameter tried: what needs no trying any more; the parameters of this event and their members are added.
    init(
        _ definition: Definition, of category: DefinitionCategory, in dictionary: EventDictionary,
        tried: inout Set<String>
    ) {
        layout = dictionary.options.layout
        fields = dictionary.keyFields(of: definition)
        common = Set(exact: dictionary.common.map(\.name))
        self.category = category.sentAs
        name = definition.sentAs
        let own = definition.parameters + category.parameters
        parameters = own + dictionary.common.filter { common in !own.contains { $0.name == common.name } }
        changes = parameters.flatMap { parameter in
            tried.insert("\(parameter.name) \(parameter.typeText)").inserted
                ? ValueSamples.changes(of: parameter, tried: &tried).map { (parameter, $0) } : []
        }
    }

    var all: [Payload] {
        let base = ValueSamples.members(parameters.filter(\.isRequired))
        let full = ValueSamples.members(parameters)
        var payloads = [Payload(text: text(base)), Payload(text: text(full))]
        payloads.append(Payload(text: text(base + [("unknown", "1")])))
        payloads.append(Payload(text: text(base + [("unknown", "null")])))
        payloads.append(Payload(text: text(base + [("log_id", "{\"any\":[]}")])))
        payloads.append(Payload(text: text(base, name: "no_such_event")))
        payloads.append(Payload(text: text(base, name: nil)))
        payloads.append(Payload(text: "[\(text(base))]"))
        for (parameter, change) in changes {
            let others = base.filter { $0.name != parameter.name }
            let changed = change.text.isEmpty ? [] : [(parameter.name, change.text)]
            payloads.append(Payload(text: text(others + changed), changed: change.changed, value: change.value))
        }
        return payloads
    }

    /// Returns a payload of which each value has been made at random, and most fit.
    func random(using generator: inout some RandomNumberGenerator) -> Payload {
        let present = parameters.filter {
            $0.isRequired ? .random(in: 0..<20, using: &generator) > 0 : .random(using: &generator)
        }
        return Payload(text: text(present.map { ($0.name, ValueSamples.random($0, using: &generator)) }))
    }

    private func text(_ members: [(name: String, value: String)], name: String?) -> String {
        var payload = Tree()
        if let path = layout.category.member { payload.set(path.steps, ValueSamples.quoted(category)) }
        if let path = layout.name.member, let name { payload.set(path.steps, ValueSamples.quoted(name)) }
        let object = layout.parametersAt?.steps ?? []
        if !object.isEmpty { payload.set(object, nil) }
        for member in members {
            payload.set((common.contains(member.name) ? [] : object) + [member.name], member.value)
        }
        return payload.text
    }

    /// An object, and the objects in it.
    private struct Tree {
        private var members: [(name: String, value: String?, object: [Tree])] = []

        /// - Parameter value: `nil` for an object.
        mutating func set(_ path: [String], _ value: String?) {
            guard path.count > 1 || value == nil, !path.isEmpty else {
                if let name = path.first { members.append((name, value, [])) }
                return
            }
            let index = members.firstIndex { $0.name == path[0] && $0.value == nil } ?? members.endIndex
            if index == members.endIndex { members.append((path[0], nil, [Tree()])) }
            members[index].object[0].set(Array(path.dropFirst()), value)
        }

        var text: String { ValueSamples.object(members.map { ($0.name, $0.value ?? $0.object[0].text) }) }
    }

    private func text(_ members: [(name: String, value: String)]) -> String { text(members, name: name) }
}

extension ParameterType {
    var isWhole: Bool { checked == .smallint || checked == .integer || checked == .bigint }
}
