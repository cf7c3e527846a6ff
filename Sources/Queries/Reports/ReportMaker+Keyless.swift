package import API
import Model
import Store

extension ReportMaker {
    /// The reason is read from a sample event for this many rows, the most frequent ones.
    private static let explainedRows = 100

    /// JSON objects without a key. They never count as `undefined`, and their events seem never to be sent.
    package func unkeyed() async throws -> Report<KeylessRow> {
        let known = Dictionary(dictionaries.map { ($0.options.name, $0.options) }) { first, _ in first }
        return try await keyless(.unkeyed, .unkeyed) { event in
            let options = event.kind.dictionary.flatMap { known[$0] } ?? DictionaryOptions(name: "", path: "")
            let layout = options.layout(ofSource: event.origin.source)
            return MissingKey.reason(payload: event.payload, layout: layout, keyFields: event.origin.keyFields)
        }
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
            // It may have been reprocessed since.
            if rows.count < Self.explainedRows, let sample, let event = try await source.event(id: sample),
                event.resolution == resolution
            {
                row.reason = reason(event)
            }
            rows.append(row)
        }
        source.release()
        return Report(report, rows: rows, total: found.count, scope: try await scope(of: report, uses, stored))
    }
}

extension EventCount {
    /// The order of rows with equal counts.
    fileprivate var order: ExactString {
        ExactString([origin?.subsystem, origin?.category, dictionary].map { $0 ?? "" }.joined(separator: "\u{0}"))
    }
}
