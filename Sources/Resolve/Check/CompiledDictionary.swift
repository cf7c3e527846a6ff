import Model

/// A dictionary prepared for looking payloads up in it.
final class CompiledDictionary: Sendable {
    /// One definition with its own parameters, those of its category and the common ones.
    final class Event: Sendable {
        let kind: EventKind
        let isObsolete: Bool
        /// The event's own parameters; the three sets are searched in this order, and the first that has a name counts.
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
    /// The redaction; `nil` when nothing is private.
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

/// The parameters of one list, prepared for checking payloads.
///
/// All events that share the list share one object, which pays off for common parameters.
final class ParameterSet: Sendable {
    struct Entry: Sendable {
        let name: String
        let check: ValueCheck
    }

    /// The part that decides about almost every value. Unlike `entries` it can be copied without cost.
    struct Outline: Sendable {
        let form: ValueCheck.Form
        /// Whether it is required. An obsolete parameter is not, because its senders are supposed to stop sending it.
        let isRequired: Bool
        let isObsolete: Bool
    }

    let entries: [Entry]
    let outlines: [Outline]
    let requiredCount: Int
    private let table: KeyTable

    init(_ all: [Parameter]) {
        let parameters = all.firstOfEachName
        entries = parameters.map { Entry(name: $0.name, check: ValueCheck($0)) }
        outlines = zip(parameters, entries).map {
            Outline(form: $1.check.form, isRequired: !$0.isOptional && !$0.isObsolete, isObsolete: $0.isObsolete)
        }
        requiredCount = outlines.count { $0.isRequired }
        table = KeyTable(parameters.map(\.name))
    }

    @inline(__always)
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? { table.index(of: key, hash: hash) }

    func has(_ key: PayloadKey) -> Bool { key.bytes.withUnsafeBytes { index(of: $0, hash: key.hash) != nil } }
}
