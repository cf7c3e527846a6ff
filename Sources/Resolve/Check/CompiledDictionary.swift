import Model

/// A dictionary prepared for looking payloads up in it.
final class CompiledDictionary: Sendable {
    /// One definition with its own parameters, those of its category and the common ones.
    final class Event: Sendable {
        let kind: EventKind
        let isObsolete: Bool
        let payload: ObjectCheck

        init(kind: EventKind, isObsolete: Bool, payload: ObjectCheck) {
            self.kind = kind
            self.isObsolete = isObsolete
            self.payload = payload
        }
    }

    private struct Category: Sendable {
        let names: KeyTable
        let events: [Event]
    }

    let options: DictionaryOptions
    let version: String
    /// The events whose definitions have errors, and where.
    let broken: [EventKey: ExactString]
    /// The redaction; `nil` when nothing is private.
    let redaction: Redaction?
    private let categoryNames: KeyTable
    private let categories: [Category]

    init(_ dictionary: EventDictionary, _ protection: Protection) {
        options = dictionary.options
        version = dictionary.version
        broken = dictionary.broken
        redaction = Redaction(dictionary, protection)
        var types = TypeCompiler()
        let common = ParameterSet(dictionary.common, &types)
        var extra = KeyTable.empty
        if case .named(let names) = dictionary.options.extraParameters { extra = KeyTable(names.map(\.text)) }
        categoryNames = KeyTable(dictionary.categories.map(\.sentAs))
        categories = dictionary.categories.map { category in
            let shared = ParameterSet(category.parameters, &types)
            let events = category.definitions.map { definition in
                Event(
                    kind: EventKind(
                        dictionary: dictionary.options.name, definitionsVersion: dictionary.version,
                        key: definition.key),
                    isObsolete: definition.isObsolete,
                    payload: ObjectCheck(
                        own: ParameterSet(definition.parameters, &types), category: shared, common: common,
                        allowsExtra: dictionary.allowsExtra(in: definition, of: category), extra: extra))
            }
            return Category(names: KeyTable(category.definitions.map(\.sentAs)), events: events)
        }
    }

    func event(category: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) -> Event? {
        guard let index = categoryNames.index(of: category, hash: KeyHash.of(category)) else { return nil }
        let category = categories[index]
        guard let event = category.names.index(of: name, hash: KeyHash.of(name)) else { return nil }
        return category.events[event]
    }
}
