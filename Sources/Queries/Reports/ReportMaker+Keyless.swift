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
    /// The most pages for each row in which events are searched.
    private static let searchedPages = 20
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
        let latest = try await shapes(of: report.rows.prefix(Self.shapedRows), from: &source)
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

    /// Groups the latest unkeyed events of each row by their members. All rows are searched together: each may have some events in
    /// every block.
    /// - Returns: for each row, the members that most of them have.
    private func shapes(
        of rows: ArraySlice<KeylessRow>, from source: inout EventSource
    ) async throws -> [[(members: [String], Shape)]] {
        var found = rows.map { _ in (events: 0, shapes: [Exact<[String]>: Shape]()) }
        var open = Array(rows.indices)
        var before: Int64?
        for _ in 0..<Self.searchedPages * rows.count where !open.isEmpty {
            let origins = open.map { Predicate.events(of: rows[$0].origin) }
            // A page may have none of them although there are some.
            let page = try await source.page(
                matching: predicate.and(.resolved(as: [.unkeyed])).and(.any(origins)), before: before,
                limit: Self.shapedEvents * open.count)
            for event in page.events {
                let origin = EventOrigin(event.origin)
                let row = open.first { rows[$0].origin == origin && rows[$0].dictionary == event.kind.dictionary }
                guard let row, found[row].events < Self.shapedEvents else { continue }
                found[row].events += 1
                guard let members = MissingKey.shape(of: event.payload) else { continue }
                found[row].shapes[Exact(wrappedValue: members), default: (event.id, 0)].count += 1
            }
            open.removeAll { found[$0].events >= min(Self.shapedEvents, Int(clamping: rows[$0].count)) }
            guard let next = page.next else { break }
            before = next
        }
        return found.map { row in
            row.shapes.sorted { ($1.value.count, $1.value.first) < ($0.value.count, $0.value.first) }
                .prefix(Self.maximumShapes).map { ($0.key.wrappedValue, $0.value) }
        }
    }

    /// Returns the latest stored event of a row.
    private func latest(
        of row: KeylessRow, _ resolution: Resolution, before sample: Int64, from source: inout EventSource
    ) async throws -> Event? {
        let wanted = predicate.and(.resolved(as: [resolution])).and(.events(of: row.origin))
        var before: Int64? = sample
        for _ in 0..<Self.searchedPages where before != nil {
            let page = try await source.page(
                matching: wanted, before: before, limit: Self.shapedEvents)
            if let event = page.events.first(where: { $0.kind.dictionary == row.dictionary }) { return event }
            before = page.next
        }
        return nil
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
        var source = source
        for use in found.mostFirst(query.limit, \.count, then: { $0.order < $1.order }) {
            guard let origin = use.origin else { continue }
            let sample = sample(use.lastEventID, stored)
            var row = KeylessRow(
                dictionary: use.dictionary, origin: EventOrigin(origin), count: use.count,
                firstSeen: WireTime(microseconds: use.firstMicroseconds),
                lastSeen: WireTime(microseconds: use.lastMicroseconds), sampleEvent: sample)
            if rows.count < Self.explainedRows, let sample, let event = try await source.event(id: sample) {
                if event.resolution == resolution, event.kind.dictionary == use.dictionary {
                    row.reason = reason(event)
                } else {
                    // It was reprocessed since, which counters do not follow.
                    let latest = try await latest(of: row, resolution, before: sample, from: &source)
                    row.sampleEvent = latest?.id
                    row.reason = latest.flatMap(reason)
                    if let latest { row.lastSeen = WireTime(microseconds: latest.realtimeMicroseconds) }
                }
            }
            rows.append(row)
        }
        source.release()
        return Report(report, rows: rows, total: found.count, scope: try await scope(of: report, uses, stored))
    }
}

extension Predicate {
    fileprivate static func events(of origin: EventOrigin) -> Predicate {
        .text(.sender(.subsystem), .among([ExactString(origin.subsystem)]))
            .and(.text(.sender(.category), .among([ExactString(origin.category)])))
    }
}
