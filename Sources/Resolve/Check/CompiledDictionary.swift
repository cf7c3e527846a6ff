import Model

/// A dictionary made ready to look payloads up in.
final class CompiledDictionary: Sendable {
    /// One definition: its own parameters, those of its category and the common ones.
    final class Event: Sendable {
        let kind: EventKind
        let isObsolete: Bool
        /// Looked through in this order.
        let own: ParameterSet
        let category: ParameterSet
        let common: ParameterSet

        init(kind: EventKind, isObsolete: Bool, own: ParameterSet, category: ParameterSet, common: ParameterSet) {
            self.kind = kind
            self.isObsolete = isObsolete
            self.own = own
            self.category = category
            self.common = common
        }

        var requiredCount: Int { own.requiredCount + category.requiredCount + common.requiredCount }
    }

    private struct Category: Sendable {
        let names: KeyTable
        let events: [Event]
    }

    let options: DictionaryOptions
    let version: String
    /// `nil` when nothing is private.
    let redaction: Redaction?
    private let categoryNames: KeyTable
    private let categories: [Category]

    init(_ dictionary: EventDictionary, _ protection: Protection) {
        options = dictionary.options
        version = dictionary.version
        redaction = Redaction(dictionary, protection)
        let common = ParameterSet(dictionary.common)
        categoryNames = KeyTable(dictionary.categories.map(\.name))
        categories = dictionary.categories.map { category in
            let shared = ParameterSet(category.parameters)
            let events = category.definitions.map { definition in
                Event(
                    kind: EventKind(
                        dictionary: dictionary.options.name, definitionsVersion: dictionary.version,
                        key: definition.key),
                    isObsolete: definition.isObsolete, own: ParameterSet(definition.parameters),
                    category: shared, common: common)
            }
            return Category(names: KeyTable(category.definitions.map(\.key.name)), events: events)
        }
    }

    func event(_ key: EventKey) -> Event? {
        Array(key.category.utf8).withUnsafeBytes { category in
            Array(key.name.utf8).withUnsafeBytes { event(category: category, name: $0) }
        }
    }

    func event(category: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer) -> Event? {
        guard let index = categoryNames.index(of: category, hash: KeyHash.of(category)) else { return nil }
        let category = categories[index]
        guard let event = category.names.index(of: name, hash: KeyHash.of(name)) else { return nil }
        return category.events[event]
    }
}

/// Parameters that stand in one list, made ready to check payloads by.
///
/// One object serves all events that share the list, which common parameters make worth while.
final class ParameterSet: Sendable {
    struct Entry: Sendable {
        let name: String
        let check: ValueCheck
    }

    /// What decides over almost every value, beside `entries` and free to copy.
    struct Outline: Sendable {
        let form: ValueCheck.Form
        /// An obsolete parameter is not required: its senders are the ones that have been told to stop.
        let isRequired: Bool
        let isObsolete: Bool
    }

    let entries: [Entry]
    let outlines: [Outline]
    let requiredCount: Int
    private let table: KeyTable

    init(_ parameters: [Parameter]) {
        entries = parameters.map { Entry(name: $0.name, check: ValueCheck($0)) }
        outlines = zip(parameters, entries).map {
            Outline(form: $1.check.form, isRequired: !$0.isOptional && !$0.isObsolete, isObsolete: $0.isObsolete)
        }
        requiredCount = outlines.count { $0.isRequired }
        table = KeyTable(parameters.map(\.name))
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? { table.index(of: key, hash: hash) }
}
