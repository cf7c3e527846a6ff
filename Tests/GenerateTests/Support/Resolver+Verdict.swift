import Model
import Resolve
import TestSupport

extension Resolver {
    init(_ dictionary: EventDictionary) {
        self.init(dictionaries: [dictionary], protection: .reveal)
    }

    /// - Parameter fields: the journal fields that have parts of the key.
    mutating func verdict(on payload: String, _ fields: KeyFields = .none) -> Outcome {
        Array(payload.utf8).withUnsafeBytes { resolve($0, from: .sample(keyFields: fields)) }
    }
}

extension EventDictionary {
    /// Returns the journal fields with the parts of an event's key that its payloads do not have.
    func keyFields(of definition: Definition) -> KeyFields {
        var fields: [ExactString: String] = [:]
        if case .journalField(let field) = options.layout.category {
            fields[field] = category(definition.key.category)?.sentAs
        }
        if case .journalField(let field) = options.layout.name { fields[field] = definition.sentAs }
        return KeyFields(fields)
    }
}
