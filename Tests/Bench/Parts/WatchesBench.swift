import Foundation
import TestSupport

/// What checklists and alert rules cost while events come, and how soon they say something.
struct WatchesBench {
    let place: BenchPlace

    private static let (runs, items, rules) = (100, 50, 200)
    private static let (perSecond, seconds) = (20_000, 10)
    private static let (rounds, waits) = (3, 40)

    func run() async throws -> [BenchResult] {
        try await PrivateJournald.withOne { journald in
            try await place.withFolder("watches") { definitions in
                try UniformWorkload().writeDefinitions(to: definitions)
                var (alone, watching, rate) = ([Double](), [Double](), 0)
                // In turns, since the machine is not always as fast.
                for _ in 0..<Self.rounds {
                    let usual = try await share(journald, definitions, isWatching: false)
                    alone.append(usual.percent)
                    rate = usual.rate
                    watching.append(try await share(journald, definitions, isWatching: true).percent)
                }
                let (waits, missing) = try await latencies(journald, definitions)
                let events = "\(rate) live events/s"
                return [
                    BenchResult("\(events), % of one core", rounded(median(alone))),
                    BenchResult(
                        "the same with \(Self.runs) checklists of \(Self.items) items and \(Self.rules) alerts",
                        rounded(median(watching))),
                    BenchResult("so they cost, % of one core", rounded(median(watching) - median(alone)), goal: "5 %"),
                    BenchResult(
                        "checklist wait, behind the last event, p50", rounded(percentile(50, of: waits)) + " ms"),
                    BenchResult(
                        "checklist wait, behind the last event, p99", rounded(percentile(99, of: waits)) + " ms",
                        goal: "100 ms"),
                    BenchResult(
                        "a missing event, behind the end of its run", rounded(percentile(99, of: missing)) + " ms",
                        goal: "1 s"),
                ]
            }
        }
    }

    // MARK: cost

    private func share(
        _ journald: PrivateJournald, _ definitions: URL, isWatching: Bool
    ) async throws -> (percent: Double, rate: Int) {
        var settings = BenchSettings(journal: .namespace(journald.namespace), definitions: definitions)
        settings.start = "now"
        if isWatching { settings.more = alerts }
        let daemon = try BenchDaemon(place, settings)
        try await daemon.startAndWait()
        if isWatching { try start(Self.runs, daemon) }
        try await daemon.rest()
        var (sent, rate) = (0, 0.0)
        let percent = try await ProcessorShare.percent(of: daemon.usage) {
            let start = ContinuousClock.now
            sent = try await send(journald)
            rate = Double(sent) / ((ContinuousClock.now - start) / .seconds(1))
            try await wait(for: "\(sent) events to be stored") { daemon.status()?.stored == sent }
        }
        if isWatching { try check(daemon, sent) }
        try daemon.stop()
        return (percent, Int(rate.rounded()))
    }

    /// Events of many users, in small portions.
    private func send(_ journald: PrivateJournald) async throws -> Int {
        let start = ContinuousClock.now
        let (portion, count) = (Self.perSecond / 100, Self.perSecond * Self.seconds)
        for first in stride(from: 0, to: count, by: portion) {
            try await Task.sleep(until: start + .seconds(1) * first / Self.perSecond)
            for number in first..<first + portion {
                try journald.send([
                    "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog",
                    "MESSAGE": UniformWorkload.payload(number),
                ])
            }
        }
        return count
    }

    private var alerts: String {
        let rules = (0..<Self.rules).map { number in
            let predicate =
                switch number % 4 {
                case 0: "event == recipe_detail/tap_save_button and payload.position == \(number % 30)"
                case 1: "level >= error and payload.user_id == \(number)"
                case 2: "event == shop/event_\(number)"
                default: "resolution == violating and payload.recipe_id == \(number)"
                }
            return
                "  - {name: r\(number), predicate: \"\(predicate)\", when: {count: 1000000, within: 5m}, by: [event]}"
        }
        return "alerts:\n" + rules.joined(separator: "\n")
    }

    private func list(_ items: Int) -> String {
        let lines = (0..<items).map { number in
            number < 30
                ? "  - {event: recipe_detail/tap_save_button, predicate: payload.position == \(number)}"
                : "  - recipe_detail/event_\(number)"
        }
        return "checklist: list\nitems:\n" + lines.joined(separator: "\n")
    }

    private func start(_ count: Int, _ daemon: BenchDaemon) throws {
        let file = daemon.folder.appending(path: "list.yaml")
        try list(Self.items).write(to: file, atomically: true, encoding: .utf8)
        for number in 0..<count {
            let run = try daemon.glossctl(
                place,
                [
                    "checklist", "start", file.path, "--as", "run\(number)",
                    "payload.user_id == \(UniformWorkload.user(number))",
                ]
            ).measured()
            guard run.status == 0 else { throw BenchError("a checklist was not started") }
        }
    }

    /// That they have counted.
    private func check(_ daemon: BenchDaemon, _ sent: Int) throws {
        let run = try daemon.client.json("/v1/checklists/run0")
        let items = run["items"] as? [[String: Any]] ?? []
        let counted = items.reduce(0) { $0 + ($1["count"] as? Int ?? 0) }
        guard counted > 0, run["position"] as? Int == sent else { throw BenchError("checklists did not count") }
    }

    // MARK: time

    /// - Returns: in milliseconds, from sending the last event to the end of `wait`, and from the end of a run to the end of `wait`.
    private func latencies(_ journald: PrivateJournald, _ definitions: URL) async throws -> ([Double], [Double]) {
        var settings = BenchSettings(journal: .namespace(journald.namespace), definitions: definitions)
        settings.start = "now"
        let daemon = try BenchDaemon(place, settings)
        try await daemon.startAndWait()
        try start(1, daemon)
        let file = daemon.folder.appending(path: "one.yaml")
        try "checklist: one\nitems: [recipe_detail/tap_save_button]".write(to: file, atomically: true, encoding: .utf8)
        var (waits, missing) = ([Double](), [Double]())
        for number in 0..<Self.waits {
            _ = try daemon.glossctl(place, ["checklist", "start", file.path, "--as", "w\(number)"]).measured()
            let command = daemon.glossctl(place, ["checklist", "wait", "w\(number)"])
            let waiting = Task.detached { () -> (Int32, ContinuousClock.Instant) in
                (try command.measured().status, .now)
            }
            try await Task.sleep(for: .milliseconds(600 + number))
            let sent = ContinuousClock.now
            try journald.send([
                "SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": UniformWorkload.payload(500),
            ])
            let (status, end) = try await waiting.value
            guard status == 0 else { throw BenchError("checklist wait ended with \(status)") }
            waits.append((end - sent) / .milliseconds(1))
            guard number % 4 == 0 else { continue }
            let stopped = ContinuousClock.now
            _ = try daemon.glossctl(place, ["checklist", "stop", "run0"]).measured()
            let late = try daemon.glossctl(place, ["checklist", "wait", "run0"]).measured()
            guard late.status == 1 else { throw BenchError("nothing was missing") }
            missing.append((ContinuousClock.now - stopped) / .milliseconds(1))
        }
        try daemon.stop()
        return (waits, missing)
    }
}
