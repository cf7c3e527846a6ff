import Model

/// A dictionary prepared for looking payloads up in it.
final class CompiledDictionary: Sendable {
    /// One definition with its own parameters, those of its category and the common ones.
    final class Event: Sendable {
        let kind: EventKind
        let isObsolete: Bool
        let payload: ObjectCheck
        /// What is allowed where the parameters of all events stand beside the others; `nil` if no layout has that.
        let envelope: Envelope?

        init(kind: EventKind, isObsolete: Bool, payload: ObjectCheck, envelope: Envelope?) {
            self.kind = kind
            self.isObsolete = isObsolete
            self.payload = payload
            self.envelope = envelope
        }
    }

    struct Envelope: Sendable {
        /// The common parameters.
        let outer: ObjectCheck
        /// Those of the event and its category.
        let inner: ObjectCheck
    }

    private struct Category: Sendable {
        let names: KeyTable
        let events: [Event]
    }

    let options: DictionaryOptions
    let version: String
    /// The events whose definitions have errors, and where.
    private let broken: [EventKey: ExactString]
    /// The same by name, if names alone find definitions.
    private let brokenByName: [ExactString: ExactString]
    /// The redaction; `nil` when nothing is private.
    let redaction: Redaction?
    private let categoryNames: KeyTable
    private let categories: [Category]
    /// The names in payloads of categories and their events, as far as rules name them.
    private let sentNames: [ExactString: (category: ExactString, events: [ExactString: ExactString])]
    /// All events, if names alone find definitions.
    private let allNames: KeyTable
    private let all: [Event]

    init(_ dictionary: EventDictionary, _ protection: Protection) {
        options = dictionary.options
        version = dictionary.version
        broken = dictionary.broken
        let hasEnvelope = dictionary.options.layouts.contains { $0.parametersAt != nil }
        let findsByName = dictionary.options.findsByName
        brokenByName = Dictionary(
            findsByName ? broken.sorted { $0.key < $1.key }.map { (ExactString($0.key.name), $0.value) } : []
        ) { first, _ in first }
        redaction = Redaction(dictionary, protection)
        var types = TypeCompiler()
        let common = ParameterSet(dictionary.common, &types)
        // These names are the same wherever not all are allowed.
        let extra = KeyTable(dictionary.options.extraParameters.names)
        let outer = ObjectCheck(own: common, allowsExtra: dictionary.outerExtra == .all, extra: extra)
        categoryNames = KeyTable(dictionary.categories.map(\.sentAs))
        categories = dictionary.categories.map { category in
            let shared = ParameterSet(category.parameters, &types)
            let events = category.definitions.map { definition in
                let own = ParameterSet(definition.parameters, &types)
                let allowsExtra = dictionary.extra(in: definition, of: category) == .all
                return Event(
                    kind: EventKind(
                        dictionary: dictionary.options.name, definitionsVersion: dictionary.version,
                        key: definition.key),
                    isObsolete: definition.isObsolete,
                    payload: ObjectCheck(
                        own: own, category: shared, common: common, allowsExtra: allowsExtra, extra: extra),
                    envelope: hasEnvelope
                        ? Envelope(
                            outer: outer,
                            inner: ObjectCheck(own: own, category: shared, allowsExtra: allowsExtra, extra: extra))
                        : nil)
            }
            return Category(names: KeyTable(category.definitions.map(\.sentAs)), events: events)
        }
        sentNames = Self.sentNames(dictionary)
        all = findsByName ? categories.flatMap(\.events) : []
        allNames =
            findsByName ? KeyTable(dictionary.categories.flatMap { $0.definitions.map(\.sentAs) }) : KeyTable.empty
    }

    func covers(_ origin: Origin) -> Bool {
        options.subsystem.matches(origin.subsystem) && options.category.matches(origin.category)
    }

    private static func sentNames(
        _ dictionary: EventDictionary
    ) -> [ExactString: (category: ExactString, events: [ExactString: ExactString])] {
        let named = Set(dictionary.options.layouts.compactMap(\.fixedCategory))
        var names: [ExactString: (category: ExactString, events: [ExactString: ExactString])] = [:]
        for category in dictionary.categories where named.contains(category.name) {
            let events = category.definitions.map { (ExactString($0.key.name), ExactString($0.sentAs)) }
            names[category.name] = (ExactString(category.sentAs), Dictionary(events) { first, _ in first })
        }
        // While a definition has an error, its event says so under its name in payloads.
        for (key, sent) in dictionary.sentKeysOfBroken {
            guard named.contains(key.category) else { continue }
            // Taken out, since a copy would be made of what is still in there. Swift 6.3 fails at changing it in its place.
            var known = names.removeValue(forKey: ExactString(key.category)) ?? (ExactString(sent.category), [:])
            if known.events[key.name] == nil { known.events[key.name] = ExactString(sent.name) }
            names[key.category] = known
        }
        return names
    }

    /// Returns a layout with what rules say of events in the form in which payloads have it: rules name them as their
    /// definitions do.
    func withSentNames(_ layout: PayloadLayout) -> PayloadLayout {
        var layout = layout
        guard let category = layout.fixedCategory, let names = sentNames[category] else { return layout }
        layout.category = .fixed(names.category)
        if case .fixed(let name) = layout.name { layout.name = .fixed(names.events[name] ?? name) }
        return layout
    }

    /// Returns where the definition of an event has an error; `nil` if there is none.
    /// - Parameter byName: whether the name alone finds a definition.
    func error(of key: EventKey, byName: Bool) -> ExactString? {
        byName ? brokenByName[ExactString(key.name)] : broken[key]
    }

    /// - Parameter category: `nil` if the name alone finds the definition.
    func event(category: UnsafeRawBufferPointer?, name: UnsafeRawBufferPointer) -> Event? {
        guard let category else { return allNames.index(of: name, hash: KeyHash.of(name)).map { all[$0] } }
        guard let index = categoryNames.index(of: category, hash: KeyHash.of(category)) else { return nil }
        let place = categories[index].names.index(of: name, hash: KeyHash.of(name))
        return place.map { categories[index].events[$0] }
    }
}
