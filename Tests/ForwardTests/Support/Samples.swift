import Model
import TestSupport

@testable import Forward

/// An event whose payload says its number, and is at least `bytes` long.
func sampleEvent(_ id: Int64, bytes: Int = 0) -> Event {
    let filler = String(repeating: "x", count: max(bytes - 24, 0))
    let origin = Origin(
        [.subsystem: "com.example.shop", .category: "ActivityLog", .host: "web1"], bootID: ID128(high: 1, low: 2),
        seqnumID: ID128(high: 3, low: 4), source: "test")
    return Event(
        id: id, origin: origin, level: .notice, pid: nil, seqnum: UInt64(id), monotonicMicroseconds: UInt64(id),
        realtimeMicroseconds: SteppingClock.start - 60_000_000 + UInt64(id), entryHash: UInt64(id),
        resolution: .unkeyed,
        kind: EventKind(dictionary: nil, definitionsVersion: nil, key: nil), findings: nil,
        payload: Array(#"{"n":\#(id),"filler":"\#(filler)"}"#.utf8))
}

func sampleEvents(_ ids: ClosedRange<Int64>) -> [Event] { ids.map { sampleEvent($0) } }

/// The ids of the events in a body of NDJSON.
func ids(in body: [UInt8]) -> [Int64] {
    String(decoding: body, as: UTF8.self).split(separator: "\n").compactMap { line in
        line.firstRange(of: #""id":"#).flatMap { Int64(line[$0.upperBound...].prefix { $0.isNumber }) }
    }
}

extension SinkOptions {
    static func sample(
        url: String = "http://127.0.0.1:9/ingest", _ change: (inout SinkOptions) -> Void = { _ in }
    ) -> SinkOptions {
        var options = SinkOptions(name: "upstream", url: url)
        options.compression = .none
        change(&options)
        return options
    }
}

/// 1/2 for every jitter; keys that differ.
func halves() -> @Sendable () -> UInt64 {
    { 1 << 63 }
}

/// A sink with its surroundings, and what it reports.
struct SinkRun {
    let sink: Sink
    let reports: AsyncStream<SinkReport>

    init(
        _ options: SinkOptions = .sample(), store: MemoryStore, upstream: any Upstream, clock: SteppingClock,
        random: @escaping @Sendable () -> UInt64 = halves(),
        select: @escaping @Sendable (SinkOptions) throws(SinkError) -> Predicate = { _ in .everything },
        redact: @escaping @Sendable (Event) -> Event = { $0 }
    ) {
        let (reports, reporter) = AsyncStream.makeStream(of: SinkReport.self)
        self.reports = reports
        sink = Sink(
            options, record: store.record, store: store, clock: clock.clock, random: random, select: select,
            redact: redact, report: { reporter.yield($0) }, connect: { _ in upstream })
    }

    /// Over real HTTP and in real time.
    init(
        _ options: SinkOptions, store: any SinkStore, record: SinkRecord,
        redact: @escaping @Sendable (Event) -> Event = { $0 }
    ) {
        let (reports, reporter) = AsyncStream.makeStream(of: SinkReport.self)
        self.reports = reports
        sink = Sink(
            options, record: record, store: store, userAgent: "gloss/test", select: { _ in .everything },
            redact: redact, report: { reporter.yield($0) })
    }

    /// Runs the sink until `body` returns.
    func run<Result: Sendable>(
        _ body: @Sendable (inout AsyncStream<SinkReport>.Iterator) async throws -> Result
    ) async rethrows -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await sink.run() }
            defer { group.cancelAll() }
            var iterator = reports.makeAsyncIterator()
            return try await body(&iterator)
        }
    }

    /// Runs the sink until it reports such a thing, or, so that a failing test ends, a minute has passed.
    @discardableResult
    func run(until isLast: @escaping @Sendable (SinkReport) -> Bool) async -> [SinkReport] {
        await withTaskGroup(of: [SinkReport]?.self) { group in
            group.addTask {
                await sink.run()
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(60))
                return nil
            }
            group.addTask {
                var seen: [SinkReport] = []
                for await report in reports {
                    seen.append(report)
                    if isLast(report) { return seen }
                }
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap { $0 } ?? []
        }
    }
}
