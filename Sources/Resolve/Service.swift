import Model

/// What serves the entries of an origin: a dictionary, or, where none covers it, the usual keys alone.
final class Service: Sendable {
    let dictionary: CompiledDictionary?
    let categoryKey: PayloadKey
    let nameKey: PayloadKey
    /// The kind of events that have no key.
    let keyless: EventKind

    init(_ dictionary: CompiledDictionary?) {
        self.dictionary = dictionary
        let options = dictionary?.options ?? DictionaryOptions(name: "", path: "")
        categoryKey = PayloadKey(options.categoryKey)
        nameKey = PayloadKey(options.nameKey)
        keyless = EventKind(dictionary: dictionary?.options.name, definitionsVersion: dictionary?.version, key: nil)
    }

    func covers(_ origin: Origin) -> Bool {
        guard let options = dictionary?.options else { return true }
        return options.subsystem.matches(origin.subsystem) && options.category.matches(origin.category)
    }
}

/// Which service each origin has, and the kinds of undefined events: both are few in life and endless in an attack, so
/// they are forgotten when there are too many.
struct ServiceTable: Sendable {
    /// In order of preference.
    private let services: [Service]
    private let uncovered: Service
    private var lastOrigin: Origin?
    private var lastService: Service
    private var ofOrigin: [Origin: Service] = [:]
    /// By the hashes of both names; two keys of the same hash displace each other.
    private var undefined: [UInt64: EventKind] = [:]

    private static let maximumOrigins = 1024
    private static let maximumKinds = 4096
    /// Longer names are cut: no definition has them, and they are counted and reported by.
    private static let maximumNameBytes = 256

    init(_ dictionaries: [EventDictionary], _ protection: Protection) {
        services = dictionaries.map { Service(CompiledDictionary($0, protection)) }
        uncovered = Service(nil)
        lastService = uncovered
    }

    @inline(__always)
    mutating func service(for origin: Origin) -> Service {
        if origin !== lastOrigin {
            lastService = lookUp(origin)
            lastOrigin = origin
        }
        return lastService
    }

    private mutating func lookUp(_ origin: Origin) -> Service {
        if let known = ofOrigin[origin] { return known }
        let service = services.first { $0.covers(origin) } ?? uncovered
        if ofOrigin.count >= Self.maximumOrigins { ofOrigin.removeAll(keepingCapacity: true) }
        ofOrigin[origin] = service
        return service
    }

    mutating func undefined(
        category: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, _ service: Service
    ) -> EventKind {
        let hash = KeyHash.of(category) &* 31 &+ KeyHash.of(name)
        if let known = undefined[hash], known.dictionary == service.keyless.dictionary, let key = known.key,
            key.category.utf8.elementsEqual(category), key.name.utf8.elementsEqual(name)
        {
            return known
        }
        let key = EventKey(
            category: category.text(atMost: Self.maximumNameBytes), name: name.text(atMost: Self.maximumNameBytes))
        let kind = EventKind(
            dictionary: service.keyless.dictionary, definitionsVersion: service.keyless.definitionsVersion, key: key)
        if undefined.count >= Self.maximumKinds { undefined.removeAll(keepingCapacity: true) }
        undefined[hash] = kind
        return kind
    }
}
