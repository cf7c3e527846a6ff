import Foundation
import TestSupport
import Testing

/// Settings are read again that name other sources and dictionaries than those by which events were stored. Events come
/// all the while, and a tail is open.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct ChangedSettingsTests {
    private static let open = "## open\n\nIt was opened.\n\n- n: !bigint\n- door: !string 16\n"
    private static let close = "\n## close\n\nIt was closed.\n\n- n: !bigint\n- handle: !string 16\n"
    private static let named = "- name: !string?\n    - privacy: private\n- mail: !string?\n    - privacy: hash\n"

    private static let (shop, bar) = ("com.example.shop", "com.example.bar")

    @Test func `events of a source and dictionary that are removed are nobody's until these come back`()
        async throws
    {
        let (ofShop, ofBar) = (
            "name: shop, path: plain, subsystem: \(Self.shop)", "name: bar, path: private, subsystem: \(Self.bar)"
        )
        try await withDaemon(sources: [Self.shop, Self.bar], dictionaries: [ofShop, ofBar]) { daemon in
            try daemon.sendOneOfEach(Self.shop, from: 1)
            try daemon.sendOneOfEach(Self.bar, from: 4)
            let before = [
                "1 violating shop", "2 undefined shop", "3 violating shop", "4 resolved bar", "5 undefined bar",
                "6 violating bar",
            ]
            try await daemon.hasStored(before)
            let payloads = try await daemon.payloads()
            #expect(payloads["4"]?.contains("hush") == false)

            let removal = try await daemon.reload(
                sources: [Self.shop], dictionaries: [ofShop], sending: 100..<200, of: Self.shop)
            #expect(removal.contains("dictionary bar is gone"), "\(removal)")
            // Nothing is taken of a source that is no more: what was sent behind it is stored.
            try daemon.send(Self.bar, "open", 7)
            try daemon.send(Self.shop, "open", 200)
            let after = before.map { $0.replacing(#/(undefined|violating) bar/#, with: "undefined -") }
            try await daemon.hasStored(after + (100...200).map { "\($0) resolved shop" })
            #expect(try await daemon.payloads().filter { payloads[$0.key] != nil } == payloads)
            #expect(try await daemon.dictionaries() == ["shop"])
            #expect(try await daemon.instance.glossctl("status").status == 0)

            try daemon.instance.write(Self.open + Self.named + Self.close, to: "private/kitchen.md")
            try await daemon.reload(
                sources: [Self.shop, Self.bar], dictionaries: [ofShop, ofBar], sending: 201..<300, of: Self.shop)
            try daemon.send(Self.bar, "close", 300)
            try await daemon.hasStored(
                before.map { $0.replacing("undefined bar", with: "resolved bar") }
                    + (100..<300).map { "\($0) resolved shop" } + ["300 resolved bar"])
            #expect(try await daemon.payloads().filter { payloads[$0.key] != nil } == payloads)
        }
    }

    /// Names and hashed values are replaced in what is stored. A dictionary that covers an
    /// event for the first time searches it for private values, although it was resolved; where there are none, it stays
    /// with the dictionary that resolved it.
    @Test
    func `under another name, a dictionary resolves again what it has not understood, or may have private values`()
        async throws
    {
        func settings(_ prefix: String) -> [String] {
            [
                "name: \(prefix)shop, path: plain, subsystem: \(Self.shop)",
                "name: \(prefix)bar, path: private, subsystem: \(Self.bar)",
            ]
        }
        let sources = [Self.shop, Self.bar]
        try await withDaemon(sources: sources, dictionaries: settings("")) { daemon in
            try daemon.send(Self.shop, "open", 1)
            try daemon.sendOneOfEach(Self.shop, from: 2)
            try daemon.sendOneOfEach(Self.bar, from: 5)
            try await daemon.hasStored([
                "1 resolved shop", "2 violating shop", "3 undefined shop", "4 violating shop", "5 resolved bar",
                "6 undefined bar", "7 violating bar",
            ])
            let payloads = try await daemon.payloads()
            let changes = try await daemon.reload(
                sources: sources, dictionaries: settings("new-"), sending: 100..<200, of: Self.bar)
            #expect(changes.contains("dictionary new-bar is new") && changes.contains("dictionary bar is gone"))
            try daemon.send(Self.shop, "open", 200)
            try await eventually("what comes now is the new one's") {
                try await daemon.explained().last == "200 resolved new-shop"
            }
            // Those that came before the reload may have been the old one's, and are checked again as well.
            try await daemon.hasStored(
                [
                    "1 resolved shop", "2 violating new-shop", "3 undefined new-shop", "4 violating new-shop",
                    "5 resolved new-bar", "6 undefined new-bar", "7 violating new-bar",
                ] + (100..<200).map { "\($0) resolved new-bar" } + ["200 resolved new-shop"])
            #expect(try await daemon.payloads().filter { payloads[$0.key] != nil } == payloads)
            #expect(try await daemon.dictionaries() == ["new-shop", "new-bar"])
        }
    }

    @Test func `stored events that another dictionary covers now are resolved by it, unless they were understood`()
        async throws
    {
        let sources = ["\"*.example.*\""]
        let (cafe, inn) = ("org.example.cafe", "org.example.inn")
        func settings(_ ofShop: String, _ ofBar: String) -> [String] {
            ["name: shop, path: more, subsystem: \"\(ofShop)\"", "name: bar, path: plain, subsystem: \"\(ofBar)\""]
        }
        try await withDaemon(sources: sources, dictionaries: settings(Self.shop, "org.example.*")) { daemon in
            try daemon.sendOneOfEach(Self.bar, from: 1)
            for (first, subsystem) in [(4, cafe), (8, inn)] {
                try daemon.send(subsystem, "open", first)
                try daemon.sendOneOfEach(subsystem, from: first + 1)
            }
            let before = [
                "1 undefined -", "2 undefined -", "3 undefined -", "4 resolved bar", "5 violating bar",
                "6 undefined bar", "7 violating bar", "8 resolved bar", "9 violating bar", "10 undefined bar",
                "11 violating bar",
            ]
            try await daemon.hasStored(before)
            let payloads = try await daemon.payloads()
            // From `org.example.*` to `*.cafe` and `*.bar`: what is of the inn is nobody's now.
            try await daemon.reload(
                sources: sources, dictionaries: settings("*.cafe", "*.bar"), sending: 100..<200, of: inn)
            try daemon.send(cafe, "close", 200)
            let after = [
                "1 violating bar", "2 undefined bar", "3 violating bar", "4 resolved bar", "5 violating shop",
                "6 resolved shop", "7 resolved shop",
            ]
            try await eventually("they are reprocessed") { try await daemon.explained(below: 8) == after }
            try await eventually("the last one is stored") { try await daemon.explained().last == "200 resolved shop" }
            let ofNobody = ["8 resolved bar", "9 undefined -", "10 undefined -", "11 undefined -"]
            try await eventually("what was wrong is nobody's") { try await daemon.explained(in: 8..<12) == ofNobody }
            let ofInn = try await daemon.explained(in: 100..<200)
            #expect(ofInn.count == 100)
            #expect(Set(ofInn.map { $0.drop { $0 != " " } }).isSubset(of: [" resolved bar", " undefined -"]))
            #expect(try await daemon.payloads().filter { payloads[$0.key] != nil } == payloads)
        }
    }

    // MARK: -

    /// A daemon on a journal of its own.
    private struct RunningDaemon {
        let instance: GlossInstance
        let journald: PrivateJournald

        func write(sources: [String], dictionaries: [String]) throws {
            try instance.write(
                """
                journal: {namespace: \(journald.namespace)}
                sources: [\(sources.map { "{subsystem: \($0)}" }.joined(separator: ", "))]
                dictionaries: [\(dictionaries.map { "{\($0), category: ActivityLog}" }.joined(separator: ", "))]
                store: {path: events.sqlite}
                control: {socket: control.sock}
                """, to: "gloss.yaml")
        }

        /// Puts other settings in force while events come.
        /// - Returns: what `glossctl reload` says.
        @discardableResult
        func reload(
            sources: [String], dictionaries: [String], sending numbers: Range<Int>, of subsystem: String
        ) async throws -> String {
            try write(sources: sources, dictionaries: dictionaries)
            let sending = Task { [journald] in
                for number in numbers {
                    try journald.sendNumber(number, "open", of: subsystem)
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            let reload = try await instance.glossctl("reload")
            try await sending.value
            try #require(reload.status == 0, "\(reload.errors)")
            return reload.text
        }

        func send(_ subsystem: String, _ event: String, _ number: Int) throws {
            try journald.sendNumber(number, event, of: subsystem)
        }

        /// One with more than `open` of `plain` has, one that only `more` defines, and one that breaks most definitions.
        func sendOneOfEach(_ subsystem: String, from first: Int) throws {
            try journald.sendNumber(first, "open", of: subsystem, #""door":"left","name":"hush","mail":"hush""#)
            try journald.sendNumber(first + 1, "close", of: subsystem)
            try journald.sendNumber(first + 2, "open", of: subsystem, #""door":17"#)
        }

        /// Number, resolution and dictionary of the stored events, in their order: `1 resolved shop`.
        func explained(in numbers: Range<Int> = 0..<Int.max) async throws -> [String] {
            try await instance.events().compactMap { event in
                guard let number = (event["payload"] as? [String: Any])?["n"] as? Int, numbers.contains(number) else {
                    return nil
                }
                return "\(number) \(event["resolution"] ?? "") \(event["dictionary"] ?? "-")"
            }
        }

        func explained(below limit: Int) async throws -> [String] { try await explained(in: 0..<limit) }

        /// Waits until these are stored, and no others.
        func hasStored(_ events: [String]) async throws {
            var last: [String] = []
            do {
                try await eventually("all are stored", within: .seconds(20)) {
                    last = try await explained()
                    return last == events
                }
            } catch let timeout as Timeout {
                #expect(last == events, "\(timeout); \(instance.text(of: "glossd.log"))")
            }
        }

        /// Payloads by number, to the character.
        func payloads() async throws -> [Substring: Substring] {
            let pairs = try await instance.glossctl("show", "-n", "all", "-o", "ndjson").lines.compactMap { line in
                line.firstMatch(of: #/"payload":(\{.*"n":(\d+).*\})\}/#).map { ($0.2, $0.1) }
            }
            return Dictionary(pairs) { first, _ in first }
        }

        func dictionaries() async throws -> [String] {
            let dictionaries = try await instance.status()["dictionaries"] as? [[String: Any]] ?? []
            return dictionaries.compactMap { $0["name"] as? String }
        }

        /// What is there can be asked for, and a restart changes none of it.
        func isWell() async throws {
            #expect(try await instance.glossctl("status").status == 0, "\(instance.text(of: "glossd.log"))")
            try await eventually("all are reprocessed") { try await instance.status()["reprocessing"] == nil }
            for report in ["undefined", "unseen", "violations", "obsolete"] {
                #expect(try await instance.glossctl("report", report).errors == "")
            }
            for id in 1...10 { #expect(try await instance.glossctl("event", "\(id)").status == 0) }
            let (explained, payloads) = (try await explained(), try await payloads())
            #expect(await instance.stopDaemon() == 0)
            try await instance.startDaemonAndWait()
            #expect(try await self.explained() == explained)
            #expect(try await self.payloads() == payloads)
            #expect(try await instance.glossctl("status").status == 0)
        }
    }

    /// At the end the tail must have shown what was stored, each event once and in order, and all must be well.
    private func withDaemon(
        sources: [String], dictionaries: [String], _ body: (RunningDaemon) async throws -> Void
    ) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                let daemon = RunningDaemon(instance: instance, journald: journald)
                try instance.write(Self.open, to: "plain/kitchen.md")
                try instance.write(Self.open + Self.named, to: "private/kitchen.md")
                try instance.write(
                    Self.open.replacing("string 16", with: "smallint") + Self.close, to: "more/kitchen.md")
                try daemon.write(sources: sources, dictionaries: dictionaries)
                try await instance.startDaemonAndWait()
                try #require(try await instance.glossctl("status").status == 0, "\(instance.text(of: "glossd.log"))")
                let process = instance.daemonPID
                let tail = Process()
                tail.executableURL = GlossInstance.programs.appending(path: "glossctl")
                tail.arguments = ["--socket", instance.socket, "tail", "-o", "ndjson"]
                try instance.write("", to: "tail")
                tail.standardOutput = try FileHandle(forWritingTo: URL(filePath: instance.path("tail")))
                tail.standardError = FileHandle.nullDevice
                try tail.run()
                defer { if tail.isRunning { tail.terminate() } }
                try await eventually("the tail is open") { try await instance.status()["tails"] as? Int == 1 }
                try await body(daemon)
                let stored = try await instance.events().compactMap { $0["id"] as? Int }
                try await eventually("the tail shows the last one") { instance.lines(of: "tail").count >= stored.count }
                let shown = instance.lines(of: "tail").compactMap {
                    $0.firstMatch(of: #/"id":(\d+)/#).flatMap { Int($0.1) }
                }
                #expect(shown == stored)
                #expect(instance.isDaemonRunning && instance.daemonPID == process)
                try await daemon.isWell()
            }
        }
    }
}

extension PrivateJournald {
    fileprivate func sendNumber(
        _ number: Int, _ event: String, of subsystem: String, _ members: String? = nil
    ) throws {
        let members = members ?? #""\#(event == "open" ? "door" : "handle")":"left""#
        let payload = #"{"event_category":"kitchen","event_name":"\#(event)","n":\#(number),\#(members)}"#
        try send(["SUBSYSTEM": subsystem, "CATEGORY": "ActivityLog", "MESSAGE": payload])
    }
}
