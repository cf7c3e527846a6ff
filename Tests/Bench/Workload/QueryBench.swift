import Foundation

/// What people look for, asked over the socket by a client that stays connected; the newest of a category also by whole
/// commands.
struct QueryBench {
    let place: BenchPlace
    let journal: GeneratedJournal
    let daemon: BenchDaemon

    private static let newest = 100
    private static let journalctlName = "journalctl -o json -n 100"

    func run() throws -> [BenchResult] {
        let probes = journal.workload.probes
        let goals = journal.workload.goals
        var results: [BenchResult] = []
        for index in probes.categories.indices { results += try category(probes.newest(index)) }
        results += try probes.values.map { try single($0, goal: goals.value) }
        results += try probes.texts.map { try single($0, goal: goals.grep) }
        results += try probes.predicates.map { try single($0.probe, goal: $0.goal) }
        results += try probes.groups.map(groups)
        results += try probes.expressions.map { try single($0, goal: "300 ms") }
        return results
    }

    /// By commands, in turn with journalctl, and over the socket.
    private func category(_ probe: Probe) throws -> [BenchResult] {
        let expected = min(Self.newest, probe.count(in: journal.events))
        let show = daemon.glossctl(place, ["show", "-n", "\(Self.newest)", "-o", "ndjson"] + Self.options(probe.query))
        let journalctl = Command.journalctl(journal, ["-n", "\(Self.newest)"] + (probe.journalctl ?? []))
        let (ours, theirs) = try Timing.medians(
            ours: { try check(try show.lineCount(), expected, "glossctl show, \(probe.query)") },
            theirs: { try check(try journalctl.lineCount(), expected, "journalctl, \(probe.query)") })
        let other = (theirs, Self.journalctlName)
        return [
            BenchResult(
                milliseconds: mark(probe.what), try socket(probe, expected), beside: other,
                goal: journal.workload.goals.newest),
            BenchResult(
                milliseconds: mark("the same by glossctl"), ours, beside: other,
                goal: journal.workload.goals.newestByCommand),
        ]
    }

    private func single(_ probe: Probe, goal: String) throws -> BenchResult {
        let expected = min(Self.newest, probe.count(in: journal.events))
        let ours = try socket(probe, expected)
        return BenchResult(milliseconds: mark(probe.what), ours, beside: try onePass(probe, expected), goal: goal)
    }

    private func groups(_ probe: GroupProbe) throws -> BenchResult {
        let expected = probe.count(in: journal.events)
        let ours = try Timing.median {
            let reply = try daemon.client.json("/v1/stats?\(probe.query)")
            guard reply["events"] as? Int == journal.events, expected.map({ reply["groups"] as? Int == $0 }) ?? true
            else {
                throw BenchError("\(probe.query): \(reply["events"] ?? 0) events, \(reply["groups"] ?? 0) groups")
            }
        }
        return BenchResult(milliseconds: mark(probe.what), ours, beside: try shell(probe, expected), goal: probe.goal)
    }

    /// What a shell needs for the same, once.
    private func shell(_ probe: GroupProbe, _ expected: Int?) throws -> (Double, String)? {
        guard let pipe = probe.shell else { return nil }
        let journalctl = "journalctl -D '\(journal.folder.path)' --no-pager --quiet -o json"
        let fields = "--output-fields=PRIORITY,MESSAGE SUBSYSTEM=com.example.shop"
        let command = Command("sh", ["-c", "\(journalctl) \(fields) | \(pipe)"])
        let time = try Timing.once {
            let lines = try command.lineCount()
            guard lines == expected else { throw BenchError("\(lines) lines instead of \(expected ?? 0): \(pipe)") }
        }
        return (time, "journalctl, jq and sort")
    }

    /// journalctl reads every entry, which takes long: it runs once, for the first of several.
    private func onePass(_ probe: Probe, _ expected: Int) throws -> (Double, String)? {
        guard let arguments = probe.journalctl else { return nil }
        let command = Command.journalctl(journal, arguments)
        let time = try Timing.once { try check(try command.lineCount(), expected, "journalctl, \(probe.query)") }
        return (time, "journalctl --grep")
    }

    private func socket(_ probe: Probe, _ expected: Int) throws -> Double {
        try Timing.median {
            let lines = try daemon.client.lineCount("/v1/events?n=\(Self.newest)&\(probe.query)")
            try check(lines, expected, probe.query)
        }
    }

    private func check(_ lines: Int, _ expected: Int, _ query: String) throws {
        guard lines == expected else { throw BenchError("\(lines) lines instead of \(expected): \(query)") }
    }

    private func mark(_ what: String) -> String { journal.workload.mark + what }

    /// `category=x` as glossctl takes it.
    private static func options(_ query: String) -> [String] {
        let parts = query.split(separator: "=", maxSplits: 1).map(String.init)
        return ["--\(parts[0])", parts[1]]
    }
}
