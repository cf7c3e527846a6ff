package import API
package import Model
package import Store

/// Makes reports from the store's counters and the dictionaries in force. Events are read only if the filter needs their payloads,
/// and as samples, if only the event itself shows what is wrong.
package struct ReportMaker: Sendable {
    let store: EventStore
    /// Reads single events.
    let source: EventSource
    /// In force.
    let dictionaries: [EventDictionary]
    let query: ReportQuery
    /// What the query's filter means.
    let predicate: Predicate
    /// Where events of sources have their key, if no dictionary covers them, by the texts of the rules.
    let layoutOfSource: [ExactString: PayloadLayout]

    /// - Parameter rules: the sources in force.
    package init(
        store: EventStore, source: EventSource, dictionaries: [EventDictionary], rules: [SourceRule],
        query: ReportQuery, matching predicate: Predicate
    ) {
        (self.store, self.source, self.dictionaries) = (store, source, dictionaries)
        (self.query, self.predicate) = (query, predicate)
        layoutOfSource = rules.layouts
    }

    /// The definitions that the query asks for: those whose events may meet the predicate.
    func definitions(of dictionary: EventDictionary) throws -> [Definition] {
        let names = try NamePredicate(predicate)
        return try dictionary.categories.flatMap(\.definitions).filter { definition in
            try names.isMet { key in
                switch key {
                case .event: .known(definition.key.description)
                case .eventCategory: .known(definition.key.category)
                case .eventName: .known(definition.key.name)
                case .dictionary: .known(dictionary.options.name)
                default: .unknown
                }
            } != false
        }
    }

    /// The counts of all events that meet the filter, including those that are in no row of the report.
    func uses() async throws -> [EventCount] { try await store.eventCounts(matching: predicate) }

    /// Returns which of the events are stored, so that rows may name them.
    func samples(_ ids: [Int64], _ stored: StoreStatistics) async throws -> Set<Int64> {
        guard let oldest = stored.oldestEventID else { return [] }
        let ids = Set(ids.filter { $0 >= oldest })
        // Usually only the first events were removed.
        guard stored.storedEvents <= stored.newestEventID &- oldest else { return ids }
        return try await store.storedIDs(among: ids)
    }
}

extension Set<Int64> {
    /// Returns the id if it is one of these.
    func id(_ id: Int64) -> Int64? { contains(id) ? id : nil }
}

extension [EventCount] {
    func with(_ resolutions: Resolution...) -> [EventCount] { filter { resolutions.contains($0.resolution) } }
}

extension EventCount {
    /// The order of rows with equal counts and, if they have keys, the same key.
    var order: ExactString {
        ExactString([origin?.subsystem, origin?.category, dictionary].map { $0 ?? "" }.joined(separator: "\u{0}"))
    }
}

extension EventOrigin {
    init(_ origin: Origin) { self.init(subsystem: origin.subsystem, category: origin.category) }
    init(_ origin: EventCount.Origin) { self.init(subsystem: origin.subsystem, category: origin.category) }
}

/// A parameter of a definition, or the definition itself if `parameter` is `nil`.
struct DefinedPart: Hashable, Comparable {
    var key: EventKey
    @Exact var parameter: String?

    static func < (one: DefinedPart, other: DefinedPart) -> Bool {
        (one.key, ExactString(one.parameter ?? "")) < (other.key, ExactString(other.parameter ?? ""))
    }
}

extension ReportMaker {
    /// What was sent, but is not defined. Keys that have been defined since are left out: nothing needs to be done about them.
    package func undefined() async throws -> Report<UndefinedRow> {
        let known = Dictionary(dictionaries.map { (ExactString($0.options.name), $0) }) { first, _ in first }
        let (uses, stored) = try await (uses(), store.statistics())
        let keyed: [(key: EventKey, use: EventCount)] = uses.with(.undefined).compactMap { use in
            use.key.map { ($0, use) }
        }
        let (sent, byRules) = (known.mapValues(\.sentKeys), known.mapValues { $0.keysByRules() })
        let open = keyed.filter { key, use in use.dictionary.flatMap { sent[$0]?.contains(key) } != true }
        // Another source may send the same key, and mean another event.
        func isByRule(_ key: EventKey, _ use: EventCount) -> Bool {
            use.dictionary.flatMap { byRules[$0]?.contains(key) } == true
        }
        let undefined = try await stillUndefined(among: open.filter(isByRule).map(\.use.lastEventID))
        let found = open.filter { key, use in !isByRule(key, use) || undefined.contains(use.lastEventID) }
        var closest: [ExactString: ClosestKey] = [:]
        let shown = found.mostFirst(query.limit, \.use.count) {
            $0.key == $1.key ? $0.use.order < $1.use.order : $0.key < $1.key
        }
        let samples = try await samples(shown.map(\.use.lastEventID), stored)
        let rows = shown.map { key, use in
            let dictionary = use.dictionary.flatMap { known[$0] }
            let fault = dictionary?.fault(of: key)
            let near = fault == nil ? dictionary : nil
            return UndefinedRow(
                dictionary: use.dictionary, origin: use.origin.map(EventOrigin.init), category: key.category,
                name: key.name, count: use.count, firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds),
                sampleEvent: samples.id(use.lastEventID),
                closest: near.flatMap { closest[$0.options.name, default: ClosestKey($0)].find(key) }, reason: fault)
        }
        return Report(
            .undefined, rows: rows, total: found.count, scope: try await scope(of: .undefined, uses, stored))
    }

    /// Returns which of the events are stored, and are undefined still.
    private func stillUndefined(among ids: [Int64]) async throws -> Set<Int64> {
        var (undefined, rest, source) = (Set<Int64>(), ids[...], source)
        while !rest.isEmpty {
            let (page, handled) = try await source.page(ids: Array(rest))
            undefined.formUnion(page.events.lazy.filter { $0.resolution == .undefined }.map(\.id))
            rest = rest.dropFirst(max(1, handled))
        }
        source.release()
        return undefined
    }
}

extension ReportMaker {
    /// What is defined, but was never sent. Obsolete definitions are left out.
    package func unseen() async throws -> Report<UnseenRow> {
        let (uses, stored) = try await (uses(), store.statistics())
        let defined = uses.with(.resolved, .violating)
        var rows: [UnseenRow] = []
        var total = 0
        for dictionary in dictionaries {
            let name = dictionary.options.name
            let used = DefinitionUses(defined, of: name)
            let unseen = try definitions(of: dictionary).filter { !$0.isObsolete && used[$0.key] == nil }
            total += unseen.count
            let room = query.limit - rows.count
            guard room > 0, !unseen.isEmpty else { continue }
            let watched = try await store.watchedSince(dictionary: name)
            rows += unseen.prefix(room).map { definition in
                UnseenRow(
                    dictionary: name, category: definition.key.category, name: definition.key.name,
                    description: definition.description.split(separator: "\n").first.map(String.init) ?? "",
                    watchedSince: watched[definition.key].map(WireTime.init(microseconds:)))
            }
        }
        return Report(.unseen, rows: rows, total: total, scope: try await scope(of: .unseen, uses, stored))
    }
}

extension ReportMaker {
    /// Which rules are broken, by event and parameter.
    package func violations() async throws -> Report<ViolationRow> {
        let (uses, findings) = try await store.counts(matching: predicate, findingsOf: [.violating])
        let stored = try await store.statistics()
        let found = findings.filter(\.isViolation)
        // An event that breaks a definition has a key.
        let keyed = found.compactMap { use in
            use.key.map { (part: DefinedPart(key: $0, parameter: use.parameter), use: use) }
        }
        let shown = keyed.mostFirst(query.limit, \.use.count) {
            ($0.part, ExactString($0.use.rule), ExactString($0.use.dictionary ?? ""))
                < ($1.part, ExactString($1.use.rule), ExactString($1.use.dictionary ?? ""))
        }
        let samples = try await samples(shown.map(\.use.lastEventID), stored)
        let rows = shown.map { part, use in
            ViolationRow(
                dictionary: use.dictionary, category: part.key.category, name: part.key.name, parameter: use.parameter,
                rule: use.rule, count: use.count, firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds),
                sampleEvent: samples.id(use.lastEventID))
        }
        return Report(
            .violations, rows: rows, total: keyed.count, scope: try await scope(of: .violations, uses, stored))
    }
}

extension Array {
    /// Returns the first elements in the order of descending counts, and at equal counts by `isBefore`. It sorts indices, because
    /// elements are large, and if few are wanted, only those of the first elements so far.
    func mostFirst(
        _ limit: Int, _ count: (Element) -> Int64, then isBefore: (Element, Element) -> Bool
    ) -> [Element] {
        let counts = map(count)
        return withUnsafeBufferPointer { elements in
            func precedes(_ one: Int, _ other: Int) -> Bool {
                counts[one] == counts[other] ? isBefore(elements[one], elements[other]) : counts[one] > counts[other]
            }
            // Inserting into a long list costs more than sorting once.
            guard limit < elements.count / 8 else {
                return elements.indices.sorted(by: precedes).prefix(limit).map { elements[$0] }
            }
            return elements.indices.first(limit, by: precedes).map { elements[$0] }
        }
    }
}
