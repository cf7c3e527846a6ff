import API
import Foundation
import Model
import Testing

@testable import Control

struct AlertsCommandTests {
    private static let time = WireTime(microseconds: 1_795_222_800_000_000)

    private static func alert(_ change: (inout AlertReply) -> Void = { _ in }) -> AlertReply {
        var reply = AlertReply(
            name: "errors", predicate: "level >= error", when: "10 events in 5 min", state: .ok, reason: nil, firing: 0,
            causes: [], isCut: false, notify: ["chat", "log"], silencedUntil: nil)
        change(&reply)
        return reply
    }

    private static let list = AlertList(alerts: [
        alert(),
        alert { reply in
            (reply.name, reply.state, reply.firing, reply.notify) = ("決済", .firing, 3, [])
            reply.causes = [
                .init(
                    parts: [.init(key: "event", value: "a/b"), .init(key: "user", value: nil)], since: time, event: 7)
            ]
        },
        alert { reply in
            (reply.name, reply.state, reply.reason) = (
                "held", .held, "no definition has a parameter with the role user"
            )
            reply.silencedUntil = WireTime(microseconds: Run.now + 3_600_000_000)
            reply.isCut = true
        },
    ])

    private static func notice(_ state: AlertNotice.State, _ deliveries: [NoticeReply.Delivery], silenced: Bool = false)
        -> NoticeReply
    {
        NoticeReply(
            AlertNotice(
                alert: "errors", state: state, cause: [], text: "errors: 12 events in 5 min", time: time.microseconds,
                since: time.microseconds, event: 7), id: 1, isSilenced: silenced, deliveries: deliveries)
    }

    @Test func `alerts are listed, and what fires is an answer`() async throws {
        let body = Array(try APICoding.encode(Self.list))
        let (run, _) = try await ask("alerts", "--utc") { _ in .document(body) }
        #expect(run.status == .no && run.errors == "glossctl: firing: 決済; held: held\n")
        try expectSnapshot(run.output, "alerts-pipe")
        let good = Array(try APICoding.encode(AlertList(alerts: [Self.alert()])))
        #expect(try await ask("alerts") { _ in .document(good) }.0.status == .done)
        let none = Array(try APICoding.encode(AlertList(alerts: [])))
        #expect(try await ask("alerts") { _ in .document(none) }.0.errors.hasPrefix("The settings have no alerts"))
    }

    @Test func `the history says to whom notices were sent`() async throws {
        let body = Array(
            try APICoding.encode(
                NoticeList(notices: [
                    Self.notice(.resolved, [.init(notifier: "chat", deliveredAt: nil)]),
                    Self.notice(.firing, [.init(notifier: "chat", deliveredAt: Self.time)]),
                    Self.notice(.repeated, [], silenced: true),
                ])))
        let (run, requests) = try await ask("alerts", "history", "errors", "-n", "5", "--utc") { _ in .document(body) }
        #expect(run.status == .done && requests[0].target == "/v1/alerts/history?alert=errors&n=5")
        try expectSnapshot(run.output, "alerts-history")
        for number in ["all", "10000", "20000"] {
            let (_, requests) = try await ask("alerts", "history", "-n", number) { _ in .document(body) }
            #expect(requests.map(\.target) == ["/v1/alerts/history?n=500"])
        }
        // The last page does not end.
        let page = try APICoding.decode(NoticeList.self, from: Data(body))
        let more = Array(try APICoding.encode(NoticeList(notices: page.notices, next: 7)))
        let (paged, targets) = try await ask("alerts", "history", "-n", "600", "-o", "json") { _ in .document(more) }
        #expect(targets.map(\.target) == ["/v1/alerts/history?n=500", "/v1/alerts/history?before=7&n=500"])
        let all = NoticeList(notices: page.notices + page.notices)
        #expect(paged.output == String(decoding: try APICoding.encode(all), as: UTF8.self) + "\n")
        for number in ["0", "+5", "many"] {
            #expect(await Run.glossctl("alerts", "history", "-n", number).status == .wrongUsage)
        }
    }

    @Test func `a rule is tried, of the settings or of a file`() async throws {
        let body = Array(try APICoding.encode(NoticeList(notices: [Self.notice(.firing, [])])))
        let (run, requests) = try await ask("alerts", "try", "errors", "--since", "7d", "--utc") { _ in .document(body)
        }
        let since = Run.now - 7 * 86_400_000_000
        #expect(requests == [.init(method: "POST", target: "/v1/alerts/errors/trial?since=\(since)")])
        #expect(run.output.contains("2026-11-21 01:00:00Z  firing"))
        let none = Array(try APICoding.encode(NoticeList(notices: [])))
        let quiet = try await ask("alerts", "try", "errors") { _ in .document(none) }.0
        #expect(quiet.status == .done && quiet.output == "errors would not have fired.\n")
    }

    @Test func `a test waits until it is delivered to all`() async throws {
        let reply = Array(try APICoding.encode(Self.alert { $0.notify = ["chat"] }))
        let delivered = Array(
            try APICoding.encode(
                NoticeList(notices: [Self.notice(.test, [.init(notifier: "chat", deliveredAt: Self.time)])])))
        let waiting = Array(
            try APICoding.encode(
                NoticeList(notices: [Self.notice(.test, [.init(notifier: "chat", deliveredAt: nil)])])))
        let (run, _) = try await ask("alerts", "test", "errors") { .document($0.method == "POST" ? reply : delivered) }
        #expect(run.status == .done && run.output == "Sent to chat.\n")
        let (late, _) = try await ask("alerts", "test", "errors", "--timeout", "50ms") {
            .document($0.method == "POST" ? reply : waiting)
        }
        #expect(late.status == .no && late.errors == "glossctl: not delivered yet: chat; glossctl status says why\n")
        let removed = Array(try APICoding.encode(NoticeList(notices: [Self.notice(.test, [])])))
        let (lost, _) = try await ask("alerts", "test", "errors") { .document($0.method == "POST" ? reply : removed) }
        #expect(lost.status == .no && lost.output.isEmpty)
        #expect(lost.errors == "glossctl: not delivered: chat; removed from the settings meanwhile\n")
        let nothing = Array(try APICoding.encode(NoticeList(notices: [])))
        let (gone, _) = try await ask("alerts", "test", "errors") { .document($0.method == "POST" ? reply : nothing) }
        #expect(gone.status == .no && gone.errors.contains("glossctl alerts history errors"))
    }

    @Test func `an alert is silenced for a time`() async throws {
        let reply = Array(try APICoding.encode(Self.alert()))
        let (_, requests) = try await ask("alerts", "silence", "errors", "1h") { _ in .document(reply) }
        #expect(requests[0].target == "/v1/alerts/errors/silence?until=\(Run.now + 3_600_000_000)")
        let (_, ended) = try await ask("alerts", "silence", "errors", "--end") { _ in .document(reply) }
        #expect(ended[0].target == "/v1/alerts/errors/silence")
        #expect(await Run.glossctl("alerts", "silence", "errors").status == .wrongUsage)
    }
}
