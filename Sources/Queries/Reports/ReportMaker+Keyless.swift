package import API
import Model
import Store

extension ReportMaker {
    /// The reason is read from a sample event for this many rows, the most frequent ones.
    private static let explainedRows = 100
    /// For this many rows, the latest events are grouped by their members.
    private static let shapedRows = 10
    /// The number of events that are grouped, and of the groups that are reported.
    private static let shapedEvents = 100
    /// The most pages for each of these rows in which the events are searched.
    private static let shapedPages = 20
    /// The most pages in which the latest events of all rows are searched whose counted ones were reprocessed.
    private static let searchedPages = 100
    private static let maximumShapes = 5

    /// JSON objects without a key. They never count as `undefined`, and their events seem never to be sent.
    package func unkeyed() async throws -> Report<KeylessRow> {
        let known = Dictionary(dictionaries.map { (ExactString($0.options.name), $0.options) }) { first, _ in first }
        func reason(of event: Event) -> (text: String, isComplete: Bool)? {
            let options = event.kind.dictionary.flatMap { known[$0] }
            let layout =
                options?.layout(ofSource: event.origin.source) ?? layoutOfSource[event.origin.source] ?? .usual
            return MissingKey.reason(payload: event.payload, layout: layout, keyFields: event.origin.keyFields)
        }
        var report = try await keyless(.unkeyed, .unkeyed) { reason(of: $0)?.text }
        guard !report.rows.isEmpty else { return report }
        let advice = LayoutAdvice(dictionaries)
        var source = source
        let latest = try await shapes(of: Array(report.rows.prefix(Self.shapedRows)), from: &source)
        for (index, shapes) in latest.enumerated() {
            var replies: [PayloadShape] = []
            for (members, group) in shapes {
                let sample = try await source.event(id: group.first)
                let text = sample.flatMap { event in
                    advice.text(
                        for: event.payload, coveredBy: event.kind.dictionary,
                        isExplained: reason(of: event)?.isComplete ?? false)
                }
                replies.append(
                    PayloadShape(members: members, events: group.count, sampleEvent: group.first, advice: text))
            }
            report.rows[index].shapes = replies
        }
        source.release()
        return report
    }

    /// A group of events with the same members: the id of the latest one, and how many there are.
    private typealias Shape = (first: Int64, count: Int)

    /// Groups the latest unkeyed events of each row by their members.
    /// - Returns: for each row, the members that most of them have.
    private func shapes(
        of rows: [KeylessRow], from source: inout EventSource
    ) async throws -> [[(members: [String], Shape)]] {
        var found = rows.map { _ in [Exact<[String]>: Shape]() }
        let pages = Self.shapedPages * rows.count
        _ = try await search(.unkeyed, of: rows, Self.shapedEvents, pages: pages, from: &source) { row, event in
            guard let members = MissingKey.shape(of: event.payload) else { return }
            found[row][Exact(wrappedValue: members), default: (event.id, 0)].count += 1
        }
        return found.map { shapes in
            shapes.sorted { ($1.value.count, $1.value.first) < ($0.value.count, $0.value.first) }
                .prefix(Self.maximumShapes).map { ($0.key.wrappedValue, $0.value) }
        }
    }

    /// Finds the latest events of rows. All rows are searched together: each may have some in every block.
    /// - Parameters:
    ///   - wanted: the most events of a row.
    ///   - pages: the most pages. A page may have none of the events although there are some.
    ///   - body: gets the place of a row, and an event of it, the latest first.
    /// - Returns: the places of the rows that may have more events, since the pages were used up.
    private func search(
        _ resolution: Resolution, of rows: [KeylessRow], _ wanted: Int, pages: Int, from source: inout EventSource,
        _ body: (_ row: Int, Event) -> Void
    ) async throws -> [Int] {
        var left = rows.map { min(wanted, Int(clamping: $0.count)) }
        var open = rows.indices.filter { !rows[$0].isOfOthers }
        var before: Int64?
        for _ in 0..<pages where !open.isEmpty {
            let origins = open.map { Predicate.events(of: rows[$0].origin) }
            let page = try await source.page(
                matching: predicate.and(.resolved(as: [resolution])).and(.any(origins)), before: before,
                limit: Self.shapedEvents * open.count)
            for event in page.events {
                let origin = EventOrigin(event.origin)
                let row = open.first { rows[$0].origin == origin && rows[$0].dictionary == event.kind.dictionary }
                guard let row, left[row] > 0 else { continue }
                left[row] -= 1
                body(row, event)
            }
            open.removeAll { left[$0] == 0 }
            guard let next = page.next else { return [] }
            before = next
        }
        return open
    }

    /// Payloads that begin like a JSON object and are none.
    package func malformed() async throws -> Report<KeylessRow> {
        try await keyless(.malformed, .malformed) { $0.findings?.reason }
    }

    private func keyless(
        _ report: ReportKind, _ resolution: Resolution, reason: (Event) -> String?
    ) async throws -> Report<KeylessRow> {
        let (uses, stored) = try await (uses(), store.statistics())
        let found = uses.with(resolution)
        var rows: [KeylessRow] = []
        // Those whose latest event was reprocessed since, which counters do not follow.
        var outdated: [Int] = []
        var source = source
        let shown = found.mostFirst(query.limit, \.count, then: { $0.order < $1.order })
        let samples = try await samples(shown.map(\.lastEventID), stored)
        for use in shown {
            guard let origin = use.origin else { continue }
            let sample = samples.id(use.lastEventID)
            var row = KeylessRow(
                dictionary: use.dictionary, origin: EventOrigin(origin), count: use.count,
                firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds), sampleEvent: sample)
            if rows.count < Self.explainedRows, let sample, let event = try await source.event(id: sample) {
                if event.resolution == resolution, event.kind.dictionary == use.dictionary {
                    row.reason = reason(event)
                } else if !row.isOfOthers {
                    outdated.append(rows.count)
                }
            }
            rows.append(row)
        }
        let searched = outdated.map { rows[$0] }
        for row in outdated { rows[row].sampleEvent = nil }
        let unknown = try await search(
            resolution, of: searched, 1, pages: Self.searchedPages, from: &source
        ) { place, event in
            let row = outdated[place]
            rows[row].sampleEvent = event.id
            rows[row].reason = reason(event)
            rows[row].lastSeen = WireTime(microseconds: event.realtimeMicroseconds)
        }
        for place in unknown { rows[outdated[place]].sampleEvent = searched[place].sampleEvent }
        source.release()
        return Report(report, rows: rows, total: found.count, scope: try await scope(of: report, uses, stored))
    }
}

extension KeylessRow {
    /// Whether it stands for all origins that are not counted by name: no event has this one.
    fileprivate var isOfOthers: Bool { origin == EventOrigin(EventCount.Origin.other) }
}

extension Predicate {
    fileprivate static func events(of origin: EventOrigin) -> Predicate {
        .text(.sender(.subsystem), .among([ExactString(origin.subsystem)]))
            .and(.text(.sender(.category), .among([ExactString(origin.category)])))
    }
}
