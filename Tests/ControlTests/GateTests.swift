import API
import Testing

@testable import Control

/// What `report --fail-on` says and ends with, by what the daemon answers.
@Suite struct GateTests {
    private static let passing = ReportScope(events: ["resolved": 118, "undefined": 2, "plain": 3])

    /// - Parameter rows: how many rows each report has; none by default.
    private func gate(
        _ arguments: String..., scope: ReportScope = passing, rows: [ReportKind: Int] = [:]
    ) async throws -> Run {
        let scope = String(decoding: try APICoding.encode(scope), as: UTF8.self)
        let daemon = try FakeDaemon { request in
            guard request.target.hasPrefix("/v1/reports/") else {
                return (try? Fixture.answer(request, [])) ?? .problem(500, "no answer")
            }
            let report = String(request.target.dropFirst(12).prefix { $0 != "?" })
            let total = ReportKind(rawValue: report).flatMap { rows[$0] } ?? 0
            return .document(
                Array(#"{"report":"\#(report)","rows":[],"total":\#(total),"scope":\#(scope)}"#.utf8))
        }
        defer { daemon.stop() }
        return await Run.glossctl(["--socket", daemon.socket, "report"] + arguments)
    }

    private func reasons(_ run: Run) -> [String] {
        run.errors.split(separator: "\n").map { line in
            #expect(line.hasPrefix("glossctl: --fail-on: "))
            return String(line.dropFirst("glossctl: --fail-on: ".count))
        }
    }

    @Test func `nothing wrong ends with 0 and says what was examined`() async throws {
        let run = try await gate("--fail-on", "undefined", "--fail-on", "violations,unseen,obsolete,unkeyed,malformed")
        #expect(run.status == .done)
        #expect(run.errors.isEmpty)
        try expectSnapshot(run.output, "report-empty")
    }

    @Test(arguments: [
        ("undefined", "3 undefined"), ("undefined,violations", "3 undefined, 2 violations"),
        ("obsolete,unseen", "1,214 unseen, 4 obsolete"),
    ])
    func `a report that must be empty and is not ends with 1`(reports: String, says: String) async throws {
        for format in ["text", "json", "csv", "markdown"] {
            let run = try await gate(
                "--fail-on", reports, "-o", format, "-n", "0",
                rows: [.undefined: 3, .violations: 2, .unseen: 1214, .obsolete: 4])
            #expect(run.status == .no)
            #expect(run.errors.hasSuffix("glossctl: --fail-on: there are \(says)\n"))
            #expect(!run.output.isEmpty)
        }
    }

    @Test func `unkeyed and malformed events close it, also when no report is asked for them`() async throws {
        let scope = ReportScope(events: ["resolved": 117, "unkeyed": 1, "malformed": 2000])
        let closed = try await gate("undefined", "--fail-on", "undefined", scope: scope)
        #expect(closed.status == .no)
        #expect(
            reasons(closed) == [
                "1 of 2,118 events is unkeyed: see glossctl report unkeyed; --allow-unkeyed allows that",
                "2,000 of 2,118 events are malformed: see glossctl report malformed; --allow-malformed allows that",
            ])
        let half = try await gate("--fail-on", "undefined", "--allow-malformed", scope: scope)
        #expect(reasons(half).count == 1 && half.status == .no)
        let open = try await gate("--fail-on", "violations", "--allow-malformed", "--allow-unkeyed", scope: scope)
        #expect(open.status == .done && open.errors.isEmpty)
        let named = try await gate("--fail-on", "unkeyed,malformed", scope: scope, rows: [.unkeyed: 1, .malformed: 1])
        #expect(reasons(named) == ["there are 1 unkeyed, 2,000 malformed"])
    }

    @Test func `events without a key close it whatever --event says, and meet the other filters`() async throws {
        let one = String(decoding: try APICoding.encode(ReportScope(events: ["resolved": 1])), as: UTF8.self)
        let all = String(
            decoding: try APICoding.encode(ReportScope(events: ["resolved": 1, "unkeyed": 5, "malformed": 5])),
            as: UTF8.self)
        func gate(_ arguments: String...) async throws -> (Run, [FakeDaemon.Request]) {
            let daemon = try FakeDaemon { request in
                guard request.target.hasPrefix("/v1/reports/") else {
                    return (try? Fixture.answer(request, [])) ?? .problem(500, "no answer")
                }
                let report = request.target.dropFirst(12).prefix { $0 != "?" }
                let scope = request.target.contains("event=") ? one : all
                return .document(Array(#"{"report":"\#(report)","rows":[],"total":0,"scope":\#(scope)}"#.utf8))
            }
            defer { daemon.stop() }
            let run = await Run.glossctl(
                ["--socket", daemon.socket, "report", "undefined", "violations", "--event", "recipe/*"] + arguments)
            return (run, daemon.requests)
        }
        let (closed, requests) = try await gate("--category", "ui", "--fail-on", "undefined,violations")
        #expect(closed.status == .no)
        #expect(
            reasons(closed) == [
                "5 of 11 events are unkeyed, which --event cannot leave out: see glossctl report unkeyed; "
                    + "--allow-unkeyed allows that",
                "5 of 11 events are malformed, which --event cannot leave out: see glossctl report malformed; "
                    + "--allow-malformed allows that",
            ])
        #expect(closed.output.contains("examined 1 event: 1 resolved\n"))
        #expect(requests.last?.target == "/v1/reports/violations?category=ui&n=0")
        let (open, _) = try await gate("--fail-on", "undefined", "--allow-unkeyed", "--allow-malformed")
        #expect(open.status == .done && open.errors.isEmpty)
        let (_, plain) = try await gate()
        #expect(
            plain.map(\.target) == [
                "/v1/status", "/v1/reports/undefined?event=recipe%2F%2A&n=100",
                "/v1/reports/violations?event=recipe%2F%2A&n=100",
            ], "only a gate asks for them")
    }

    @Test func `no event with a key is no success`() async throws {
        let nothing = try await gate("--fail-on", "undefined", scope: ReportScope())
        #expect(nothing.status == .no)
        #expect(
            reasons(nothing) == ["no events were examined: none match the filters; --allow-empty allows that"])
        #expect(nothing.output.contains("examined no events\n"))
        let keyless = ReportScope(events: ["plain": 5, "unkeyed": 1])
        let closed = try await gate("--fail-on", "undefined,violations", "--allow-unkeyed", scope: keyless)
        #expect(closed.status == .no)
        #expect(
            reasons(closed) == [
                "no event with a key was examined, only 6 events: 1 unkeyed, 5 plain; --allow-empty allows that"
            ])
        #expect(try await gate("--fail-on", "unseen", "--allow-empty", scope: ReportScope()).status == .done)
        let plain = ReportScope(events: ["plain": 5])
        #expect(try await gate("--fail-on", "malformed,unkeyed", scope: plain).status == .done)
        #expect(try await gate("--fail-on", "malformed", scope: ReportScope()).status == .no)
    }

    @Test func `a name that nothing has is no success`() async throws {
        var scope = Self.passing
        scope.unknown = [
            .init(parameter: "event", value: "recipe/tpyo\u{1B}"), .init(parameter: "subsystem", value: "com.exmaple"),
        ]
        let closed = try await gate("--fail-on", "unseen,violations", scope: scope)
        #expect(closed.status == .no)
        #expect(
            reasons(closed) == [
                #"--event recipe/tpyo\u001b: no definition has this name; --allow-unknown allows that"#,
                "--subsystem com.exmaple: no event ever had it; --allow-unknown allows that",
            ])
        #expect(try await gate("--fail-on", "unseen", "--allow-unknown", scope: scope).status == .done)
    }

    @Test func `what is missing in the range is no success`() async throws {
        var scope = Self.passing
        scope.gaps = [
            .init(cause: "deleted", records: 2, missing: 3210), .init(cause: "rate_limited", records: 1, uncounted: 1),
            .init(cause: "damaged", records: 3, missing: 1, uncounted: 1),
            .init(cause: "missing", records: 2, atMost: 12), .init(cause: "deleted", records: 2, missing: 5, atMost: 1),
            .init(cause: "damaged", records: 3, missing: 5, atMost: 4000, uncounted: 1),
        ]
        scope.storedSince = WireTime(microseconds: Run.now)
        let closed = try await gate("--fail-on", "violations", scope: scope)
        #expect(closed.status == .no)
        #expect(
            reasons(closed) == [
                "2 gaps in the range, deleted, 3,210 entries missing: see glossctl gaps; "
                    + "--allow-gaps allows that",
                "1 gap in the range, rate limited, the number of missing entries is not known: see glossctl gaps; "
                    + "--allow-gaps allows that",
                "3 gaps in the range, damaged, 1 entry missing, and for 1 of them the number is not known: "
                    + "see glossctl gaps; --allow-gaps allows that",
                "2 gaps in the range, missing, at most 12 entries missing: see glossctl gaps; "
                    + "--allow-gaps allows that",
                "2 gaps in the range, deleted, 5 entries missing, and at most 1 more: see glossctl gaps; "
                    + "--allow-gaps allows that",
                "3 gaps in the range, damaged, 5 entries missing, and at most 4,000 more, and for 1 of them the number "
                    + "is not known: see glossctl gaps; --allow-gaps allows that",
                "retention removed events of the range before 2026-11-20 15:00:10Z; --allow-gaps allows that",
            ])
        #expect(try await gate("--fail-on", "violations", "--allow-gaps", scope: scope).status == .done)
        #expect(try await gate(scope: scope).status == .done, "only a gate is closed by it")
    }

    @Test func `a range that begins in the future is wrong usage`() async throws {
        for arguments in [
            ["report", "--since", "tomorrow"], ["report", "--since", "2030-01-01", "--fail-on", "undefined"],
            ["show", "--since", "tomorrow"], ["tail", "--since", "+1h"],
        ] {
            let run = await Run.glossctl(arguments)
            #expect(run.status == .wrongUsage)
            #expect(run.errors.contains("begins in the future"))
        }
    }

    @Test(arguments: [
        (["--allow-gaps"], "--allow-gaps is for --fail-on"), (["--timeout", "5s"], "--timeout is for --fail-on"),
        (["--fail-on", "unkeyed", "--allow-unkeyed"], "exclude each other"),
        (["undefined", "--fail-on", "violations"], "ask for that report too"),
        (["unkeyed", "--event", "a/b"], "its events have no key"),
        (["--fail-on", "malformed", "--event", "a/b"], "its events have no key"),
        (["undefined", "--resolution", "violating"], "all of its events have the same one"),
        (["--fail-on", "undefined", "--resolution", "violating"], "all of its events have the same one"),
    ])
    func `options that do not go together are wrong usage`(arguments: [String], says: String) async {
        let run = await Run.glossctl(["report"] + arguments)
        #expect(run.status == .wrongUsage)
        #expect(run.errors.contains(says))
    }

    @Test func `reports that do not take a filter are not asked when none is named`() async throws {
        let (_, requests) = try await ask("report", "--event", "a/b", "--resolution", "resolved", "-n", "1") { _ in
            .problem(500, "enough")
        }
        #expect(requests.last?.target.hasPrefix("/v1/reports/unseen?") == true)
    }

    @Test func `csv has no place for it, so standard error says what was examined`() async throws {
        let run = try await gate("undefined", "-o", "csv", "--fail-on", "undefined")
        #expect(run.errors == "glossctl: examined 123 events: 118 resolved, 2 undefined, 3 plain\n")
    }
}
