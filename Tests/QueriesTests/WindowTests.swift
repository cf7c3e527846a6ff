import API
import Foundation
import Model
import Store
import TestSupport
import Testing

@testable import Queries

/// Replies in the order of time, and how much of them is put in order at once.
struct WindowTests {
    private let limits: PageLimits = {
        var limits = PageLimits()
        (limits.windowEvents, limits.largeWindowEvents) = (5, 1000)
        return limits
    }()

    private func withStore(_ body: (EventStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "events.sqlite").path
            let store = try await EventStore(
                StoreOptions(path: path, maximumBytes: 1 << 30, maximumAge: nil, whenFull: .pause))
            // What was sent first comes last.
            for ids in [41...100, 1...40] as [ClosedRange<UInt64>] {
                try await store.save(Sample.batch(ids), journal: "machine")
            }
            try await body(store)
            await store.close()
        }
    }

    @Test func `as many replies as may have a large window get one, and others when these have ended`() async throws {
        try await withStore { store in
            let windows = Budget(2)
            let source = EventSource(store, Budget(1), limits, largeWindows: windows)
            #expect(source.window(of: 5).share == nil && source.window(of: 5).events == 5)
            var kept = [source.window(of: 6), source.window(of: 60)]
            #expect(kept.allSatisfy { $0.events == 1000 && $0.share != nil } && windows.taken == 2)
            #expect(source.window(of: 60).events == 5)
            kept.removeLast()
            #expect(source.window(of: 60).events == 1000)
            kept = []
            #expect(windows.taken == 0)
            #expect(EventSource(store, Budget(1), limits).window(of: 60).events == 5)
        }
    }

    @Test(arguments: [EventQuery.Order.oldest, .newest], [0, 1])
    func `a reply is the same with a large window and with small ones`(
        order: EventQuery.Order, largeWindows: Int
    ) async throws {
        try await withStore { store in
            let windows = Budget(largeWindows)
            var query = EventQuery()
            (query.order, query.limit) = (order, 60)
            do {
                var pages = EventPages(
                    query, matching: .everything, upTo: .max,
                    from: EventSource(store, Budget(4 << 20), limits, largeWindows: windows))
                #expect(windows.taken == largeWindows)
                var bytes: [UInt8] = []
                while !pages.isDone { bytes += try await pages.next().lines.flatMap { $0.flatMap(\.self) } }
                let ids = try bytes.split(separator: UInt8(ascii: "\n")).map { line in
                    let object = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
                    return (object?["id"] as? Int).map(Int64.init)
                }
                let newest = (Array(1...60).reversed() + Array(61...100).reversed()).prefix(60).map { Int64($0) }
                #expect(ids == (order == .newest ? newest : newest.reversed()))
            }
            #expect(windows.taken == 0)
        }
    }
}
