import Queries
import TestSupport
import API
import Model
import Store
import Testing

@testable import Serve

struct EventsTests {
    @Test func `the newest events come first, and n bounds them`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...5), journal: "machine")
            let reply = try await server.get("/v1/events?n=2")
            #expect(reply.status == 200)
            #expect(reply.headers["content-type"] == "application/x-ndjson")
            #expect(try reply.summaries() == ["event 5", "event 4"])
        }
    }

    @Test func `order=oldest reads forwards between after and before`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...9), journal: "machine")
            let reply = try await server.get("/v1/events?order=oldest&after=3&before=6")
            #expect(try reply.summaries() == ["event 4", "event 5"])
        }
    }

    @Test(arguments: [
        ("unit=shop.service", [2]), ("unit=shop*", [2, 3]), ("unit=*", [2, 3]), ("unit=shop", []),
        ("identifier=shop", [1, 2]), ("identifier=c?i&identifier=none", [3]), ("host=web1", [1, 2]), ("host=web2", [3]),
        ("pid=812", [1, 2]), ("pid=7&pid=8", [3]), ("pid=7&unit=shop.service", []), ("pid=0", []),
    ])
    func `events are found by their sender, and reports are made of them`(query: String, found: [Int]) async throws {
        var batch = Sample.batch(1...3)
        batch.events[0].entry.origin = origin(host: "web1", identifier: "shop", unit: nil)
        batch.events[1].entry.origin = origin(host: "web1", identifier: "shop", unit: "shop.service")
        batch.events[2].entry.origin = origin(host: "web2", identifier: "cli", unit: "shop@1.service")
        batch.events[2].entry.pid = 7
        try await withServer { [batch] server in
            try await server.store.save(batch, journal: "machine")
            let events = try await server.get("/v1/events?order=oldest&\(query)")
            #expect(try events.summaries() == found.map { "event \($0)" })
            let report = try await server.report(UndefinedRow.self, .undefined, query)
            #expect(report.scope.events == (found.isEmpty ? [:] : ["resolved": Int64(found.count)]))
        }
    }

    private func origin(host: String, identifier: String, unit: String?) -> Origin {
        let origin = Sample.origin()
        return Origin(
            [
                .subsystem: origin.subsystem, .category: origin.category, .host: host, .identifier: identifier,
                .unit: unit,
            ], bootID: origin.bootID, seqnumID: origin.seqnumID, source: origin.source)
    }

    @Test(arguments: ["oldest", "newest"])
    func `a result of many pages is whole and in order`(order: String) async throws {
        var limits = ControlLimits()
        limits.pages.events = 7
        limits.pages.lineBytes = 1000
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...100), journal: "machine")
            let reply = try await server.get("/v1/events?n=all&order=\(order)")
            let ids = order == "oldest" ? Array(1...100) : (1...100).reversed()
            #expect(try reply.summaries() == ids.map { "event \($0)" })
            #expect(reply.isComplete)
        }
    }

    @Test(arguments: [1, 2, 3, 50, 100, 101, 1000], [3, 1000])
    func `the newest are those that were sent last, in the order of time, oldest first or newest first`(
        count: Int, window: Int
    ) async throws {
        var limits = ControlLimits()
        limits.pages.events = 7
        limits.pages.windowEvents = window
        limits.pages.largeWindowEvents = window
        try await withServer(limits: limits) { server in
            // What was sent first comes last.
            try await server.store.save(
                Sample.batch(41...100, gaps: [0, 2, 57, 59, 60].map { Sample.gap("lost", before: $0) }),
                journal: "machine")
            try await server.store.save(Sample.batch(1...40, gaps: [Sample.gap("lost", before: 3)]), journal: "machine")
            for filter in ["", "&grep=recipe", "&grep=%22seq%22:.*7", "&event=recipe_detail/*"] {
                let all = try await server.get("/v1/events?n=all&order=oldest\(filter)").summaries()
                let newest = try await server.get("/v1/events?n=\(count)\(filter)").summaries()
                let turned = try await server.get("/v1/events?n=\(count)&order=oldest\(filter)").summaries()
                let (events, gaps) = (turned.filter { $0.hasPrefix("event") }, turned.filter { $0.hasPrefix("gap") })
                #expect(newest.filter { $0.hasPrefix("event") } == events.reversed())
                #expect(newest.filter { $0.hasPrefix("gap") }.sorted() == gaps.sorted())
                #expect(Set(gaps).count == gaps.count)
                if window > count { #expect(newest == turned.reversed()) }
                let seqs = (1...100).filter { !filter.contains("7") || "\($0)".contains("7") }
                let sent = seqs.suffix(count).map { "event \(($0 + 59) % 100 + 1)" }
                #expect(events == sent)
                if count > seqs.count { #expect(gaps.sorted() == all.filter { $0.hasPrefix("gap") }.sorted()) }
            }
        }
    }

    @Test(
        arguments: [
            "n=all&order=oldest&after=3900", "n=all&order=newest&after=3900", "n=60", "n=60&order=oldest", "n=1",
            "after=4090&n=9&order=oldest",
        ], [3, 1000])
    func `events that match a predicate are highlighted, and none is left out`(
        query: String, window: Int
    ) async throws {
        var limits = ControlLimits()
        limits.pages.events = window == 3 ? 7 : 40
        limits.pages.windowEvents = window
        limits.pages.largeWindowEvents = window
        // Some of a window are read when they are found, and the others by their ids.
        limits.pages.payloadBytes = 2000
        try await withServer(limits: limits) { server in
            // A block, and events that are in none yet.
            try await server.store.save(Sample.batch(1...4096), journal: "machine")
            try await server.store.save(Sample.batch(4097...4196), journal: "machine")
            let plain = try await server.get("/v1/events?\(query)").summaries()
            let reply = try await server.get(
                "/v1/events?\(query)&highlight=id%3E4000%20and%20payload.seq%20like%20'*6'")
            #expect(try reply.summaries() == plain)
            let lines = try reply.lines.map { try EventLine.parse(Array($0.utf8)) }
            #expect(!lines.isEmpty)
            for line in lines { #expect(line.isHighlighted == (line.id > 4000 && line.id % 10 == 6), "\(line.id)") }
            let wrong = try await server.get("/v1/events?highlight=lvl%3D1")
            #expect(wrong.status == 422 && wrong.text.contains("highlight is not understood"), "\(wrong.text)")
        }
    }

    @Test(arguments: ["n=all&order=oldest", "n=all&order=newest&after=90", "n=60", "n=60&order=oldest"])
    func `lines have the members that are asked for`(query: String) async throws {
        var limits = ControlLimits()
        limits.pages.payloadBytes = 2000
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...4096), journal: "machine")
            // Each of these is too large for a page.
            try await server.store.save(Sample.batch(4097...4099, padding: 10_000), journal: "machine")
            let whole = try await server.get("/v1/events?\(query)").lines
            let some = try await server.get("/v1/events?\(query)&members=event,payload").lines
            let few = try await server.get("/v1/events?\(query)&members=id").lines
            let events = try whole.map { try EventLine.parse(Array($0.utf8)) }
            #expect(few == events.map { #"{"type":"event","id":\#($0.id)}"# })
            #expect(
                some
                    == events.map { event in
                        guard case .payload(let payload) = event.content else { return "" }
                        let key = #"{"category":"recipe_detail","name":"tap_save_button"}"#
                        let json = String(decoding: payload, as: UTF8.self)
                        return #"{"type":"event","id":\#(event.id),"event":\#(key),"payload":\#(json)}"#
                    })
            #expect(events.count >= 60)
        }
    }

    @Test(arguments: ["oldest", "newest"], [100, 1000])
    func `events later than a damaged block are returned, and then the error`(order: String, window: Int) async throws {
        var limits = ControlLimits()
        limits.pages.events = 70
        limits.pages.windowEvents = window
        limits.pages.largeWindowEvents = window
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...4096), journal: "machine")
            try await server.store.save(Sample.batch(4097...4396), journal: "machine")
            let sql = "UPDATE block_data SET data = x'00' WHERE first_id = 1"
            try Tool("/usr/bin/sqlite3", package: "sqlite3").run([server.store.options.path, sql])
            let reply = try await server.get("/v1/events?n=400&order=\(order)")
            let lines = try reply.summaries()
            let ids = order == "oldest" ? Array(4097...4396) : (4097...4396).reversed()
            #expect(lines.dropLast() == ids.map { "event \($0)" }[...])
            #expect(lines.last?.contains("error") == true, "\(lines.last ?? "")")
        }
    }

    @Test func `a gap stands behind the event before it, in the order of time, too`() async throws {
        try await withServer { server in
            try await server.store.save(
                Sample.batch(4...6, gaps: [Sample.gap("lost", before: 0), Sample.gap("lost", before: 2)]),
                journal: "machine")
            try await server.store.save(Sample.batch(1...3, gaps: [Sample.gap("lost", before: 1)]), journal: "machine")
            let turned = try await server.get("/v1/events?order=oldest").summaries()
            #expect(
                turned == [
                    "gap behind 0", "event 4", "gap behind 4", "event 5", "event 6", "event 1", "event 2",
                    "gap behind 2", "event 3",
                ])
            let some = try await server.get("/v1/events?order=oldest&n=2").summaries()
            #expect(some == ["event 2", "gap behind 2", "event 3", "gap behind 4"])
        }
    }

    @Test(arguments: [1, 2, 49, 50, 51])
    func `where all came as they were sent, the order of time is that of arrival`(count: Int) async throws {
        var limits = ControlLimits()
        limits.pages.events = 2
        limits.pages.windowEvents = 5
        limits.pages.largeWindowEvents = 5
        try await withServer(limits: limits) { server in
            let gaps = [0, 1, 7, 35, 48, 49, 50].map { Sample.gap("lost", before: $0) }
            try await server.store.save(Sample.batch(1...50, gaps: gaps), journal: "machine")
            let after = max(50 - count, 0)
            let wanted = try await server.get("/v1/events?n=all&order=oldest&after=\(after)").summaries()
            #expect(try await server.get("/v1/events?n=\(count)&order=oldest").summaries() == wanted)
            #expect(try await server.get("/v1/events?n=\(count)").summaries() == wanted.reversed())
        }
    }

    @Test func `a tail begins with what was sent last`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(4...6), journal: "machine")
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            let tail = try await TailClient(server, "n=2")
            #expect(try await tail.lines(2).map(\.summary) == ["event 2", "event 3"])
            try await server.store.save(Sample.batch(7...7), journal: "machine")
            #expect(try await tail.lines(3).map(\.summary) == ["event 2", "event 3", "event 7"])
        }
    }

    @Test func `an event that is larger than a page comes like any other`() async throws {
        var limits = ControlLimits()
        limits.pages.payloadBytes = 1000
        limits.largeBytes = 10_000
        try await withServer(limits: limits) { server in
            try await server.store.save(Sample.batch(1...3), journal: "machine")
            try await server.store.save(Sample.batch(4...5, padding: 2000), journal: "machine")
            try await server.store.save(Sample.batch(6...6, padding: 50_000), journal: "machine")
            try await server.store.save(Sample.batch(7...9), journal: "machine")
            let ids = (1...9).map { "event \($0)" }
            #expect(try await server.get("/v1/events?order=oldest").summaries() == ids)
            #expect(try await server.get("/v1/events?order=newest").summaries() == ids.reversed())
            let tail = try await TailClient(server, "after=1")
            try await server.store.save(Sample.batch(10...10, padding: 50_000), journal: "machine")
            #expect(try await tail.lines(9).map(\.summary) == (2...10).map { "event \($0)" })
        }
    }

    @Test func `gaps stand at their place in either order`() async throws {
        try await withServer { server in
            let gap = Sample.gap("lost", before: 2)
            try await server.store.save(Sample.batch(1...3, gaps: [gap]), journal: "machine")
            let forwards = try await server.get("/v1/events?order=oldest").summaries()
            let backwards = try await server.get("/v1/events").summaries()
            #expect(forwards == ["event 1", "event 2", "gap behind 2", "event 3"])
            #expect(backwards == forwards.reversed())
        }
    }

    @Test func `paging by id shows each event and each gap once`() async throws {
        try await withServer { server in
            let gaps = [0, 2, 3, 5].map { Sample.gap("lost", before: $0) }
            try await server.store.save(Sample.batch(1...5, gaps: gaps), journal: "machine")
            let whole = try await server.get("/v1/events?n=all&order=oldest").summaries()
            var paged: [String] = []
            var after = 0
            repeat {
                let page = try await server.get("/v1/events?n=1&order=oldest&after=\(after)").summaries()
                paged += page
                after += 1
            } while after <= 5
            #expect(whole.count == 9)
            #expect(paged == whole)
        }
    }

    @Test func `a gap in a time range without events is shown, one outside is not`() async throws {
        try await withServer { server in
            try await server.store.save(
                Sample.batch(1...2, gaps: [Sample.gap("lost", before: 0)]), journal: "machine")
            let around = try await server.get("/v1/events?until=\(Sample.start)")
            let after = try await server.get("/v1/events?since=\(Sample.start + 1)")
            #expect(try around.summaries() == ["gap behind 0"])
            #expect(try after.summaries() == ["event 2", "event 1"])
        }
    }

    @Test func `a filter that the store refuses is answered with a problem, not with a broken stream`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let reply = try await server.get("/v1/events?grep=(")
            #expect(reply.status == 422)
            #expect(try reply.object()["parameter"] as? String == "grep")
            #expect(reply.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func `a wrong parameter is named, with what is allowed`() async throws {
        try await withServer { server in
            let reply = try await server.get("/v1/events?level=loud")
            #expect(reply.status == 422)
            let problem = try reply.object()
            #expect(problem["parameter"] as? String == "level")
            #expect((problem["detail"] as? String)?.contains("warning") == true)
        }
    }

    @Test func `one event comes with its definition, its source and its journal fields`() async throws {
        try await withServer { server in
            try await server.store.save(Sample.batch(1...1), journal: "machine")
            let reply = try await server.get("/v1/events/1")
            let detail = try EventDetail.parse(reply.body)
            #expect(detail.event.id == 1)
            #expect(detail.source == "subsystem: com.example.*")
            #expect(detail.definition?.source == "recipe_detail.md:7")
            #expect(detail.journal == .fields([JournalField(name: "PRIORITY", value: Array("5".utf8))]))
            server.daemon.set(fields: nil)
            #expect(try EventDetail.parse(try await server.get("/v1/events/1").body).journal == .gone)
        }
    }

    @Test(arguments: [("/v1/events/7", 404), ("/v1/events/seven", 400), ("/v1/events/%zz", 400)])
    func `an event that cannot be is a problem`(path: String, status: Int) async throws {
        try await withServer { server in
            let reply = try await server.get(path)
            #expect(reply.status == status)
            #expect(reply.headers["content-type"] == "application/problem+json")
        }
    }
}
