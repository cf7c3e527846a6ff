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

    private let category: String
    private let name: String
    private let parameters: [Parameter]
    /// What the parameters become one by one.
    private let changes: [(parameter: Parameter, payload: Payload)]

    /// - Parameter tried: what needs no trying any more; the parameters of this event and their members are added.
    init(
        _ definition: Definition, of category: DefinitionCategory, in dictionary: EventDictionary,
        tried: inout Set<String>
    ) {
        self.category = category.sentAs
        name = definition.sentAs
        parameters = definition.parameters + category.parameters + dictionary.common
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
        let names = [("event_category", category)] + (name.map { [("event_name", $0)] } ?? [])
        return ValueSamples.object(names.map { ($0, ValueSamples.quoted($1)) } + members)
    }

    private func text(_ members: [(name: String, value: String)]) -> String { text(members, name: name) }
}

extension ParameterType {
    var isWhole: Bool { checked == .smallint || checked == .integer || checked == .bigint }
}
