import Model

/// The dictionary for the entries of an origin, if one covers it, and the layout of their payloads.
final class DictionaryScope: Sendable {
    let dictionary: CompiledDictionary?
    let layout: CompiledLayout
    /// The kind of events without a key.
    let keyless: EventKind
    /// The category that the rule of the source names, if payloads call it otherwise.
    let categoryOfRule: [UInt8]?
    /// The scopes of sources whose payloads have another layout, by the texts of their rules.
    private let ofSource: [ExactString: DictionaryScope]

    /// - Parameter sources: the layouts of sources whose payloads have another one, by the texts of their rules.
    init(
        _ dictionary: CompiledDictionary?, _ layout: PayloadLayout, categoryOfRule: [UInt8]? = nil,
        sources: [ExactString: PayloadLayout] = [:]
    ) {
        self.dictionary = dictionary
        self.layout = CompiledLayout(layout) { name in
            Array(name.utf8).withUnsafeBytes { dictionary?.redaction?.privacy(of: $0) } != nil
        }
        keyless = EventKind(
            dictionary: dictionary?.options.name, definitionsVersion: dictionary?.version, key: nil)
        self.categoryOfRule = categoryOfRule
        ofSource = sources.mapValues { layout in
            let sent = dictionary?.withSentNames(layout) ?? layout
            let renamed = sent.fixedCategory == layout.fixedCategory ? nil : layout.fixedCategory
            return DictionaryScope(dictionary, sent, categoryOfRule: renamed.map { Array($0.utf8) })
        }
    }

    func scope(ofSource source: String) -> DictionaryScope {
        ofSource.isEmpty ? self : ofSource[ExactString(source)] ?? self
    }
}

/// The scope of each origin, and the kinds of undefined events. There are usually few of both, but an attack may send
/// an unlimited number, so they are forgotten when there are too many.
struct ScopeTable: Sendable {
    /// The scopes in order of preference.
    private let scopes: [DictionaryScope]
    private let uncovered: DictionaryScope
    private var lastOrigin: Origin?
    private var lastScope: DictionaryScope
    private var ofOrigin: [Origin: DictionaryScope] = [:]
    /// The kinds by the hashes of both names; of two keys with the same hash, the newer one replaces the older.
    private var undefined: [UInt64: EventKind] = [:]

    private static let maximumOrigins = 1024
    private static let maximumKinds = 4096
    /// The length to which names are cut. No definition has longer ones, but counters and reports use them.
    private static let maximumNameBytes = 256

    init(_ dictionaries: [EventDictionary], _ sources: [ExactString: PayloadLayout], _ protection: Protection) {
        scopes = dictionaries.map {
            DictionaryScope(
                CompiledDictionary($0, protection), $0.options.layout, sources: $0.options.layoutOfSource)
        }
        uncovered = DictionaryScope(nil, .usual, sources: sources)
        lastScope = uncovered
    }

    @inline(__always)
    mutating func scope(for origin: Origin) -> DictionaryScope {
        if origin !== lastOrigin {
            lastScope = lookUp(origin)
            lastOrigin = origin
        }
        return lastScope
    }

    private mutating func lookUp(_ origin: Origin) -> DictionaryScope {
        if let known = ofOrigin[origin] { return known }
        let covering = scopes.first { $0.dictionary?.covers(origin) ?? false }
        let scope = (covering ?? uncovered).scope(ofSource: origin.source)
        if ofOrigin.count >= Self.maximumOrigins { ofOrigin.removeAll(keepingCapacity: true) }
        ofOrigin[origin] = scope
        return scope
    }

    mutating func undefined(
        category: UnsafeRawBufferPointer, name: UnsafeRawBufferPointer, _ scope: DictionaryScope
    ) -> EventKind {
        let hash = KeyHash.of(category) &* 31 &+ KeyHash.of(name)
        if let known = undefined[hash], known.dictionary == scope.keyless.dictionary, let key = known.key,
            key.category.utf8.elementsEqual(category), key.name.utf8.elementsEqual(name)
        {
            return known
        }
        let key = EventKey(
            category: category.text(atMost: Self.maximumNameBytes), name: name.text(atMost: Self.maximumNameBytes))
        let kind = EventKind(
            dictionary: scope.keyless.dictionary, definitionsVersion: scope.keyless.definitionsVersion, key: key)
        if undefined.count >= Self.maximumKinds { undefined.removeAll(keepingCapacity: true) }
        undefined[hash] = kind
        return kind
    }
}
