import Foundation
import TestSupport
import Testing

/// Definitions that change while the daemon runs, and what becomes of what they call private.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct LivingDictionaryTests {
    private static let definitions = "definitions/kitchen.md"
    private static let good = "# kitchen\n\nThe kitchen.\n\n## open\n\nIt was opened.\n\n- door: !string 16\n"
    private static let more = good + "\n## close\n\nIt was closed.\n\n- door: !string 16\n- angle: !smallint\n"
    private static let broken = more + "- user-name: !string\n"

    private func withDaemon(
        definitions: String = good, more: (GlossInstance) -> String = { _ in "" }, receiver: Bool = false,
        _ body: (GlossInstance, PrivateJournald) async throws -> Void
    ) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                if receiver { try await instance.startReceiver() }
                try instance.write("# common\n\nOf all events.\n", to: "definitions/common.md")
                try instance.write(definitions, to: Self.definitions)
                try instance.configure(journal: "{namespace: \(journald.namespace)}", more: more(instance))
                try await instance.startDaemonAndWait()
                try await body(instance, journald)
            }
        }
    }

    private func send(_ event: String, _ members: String, to journald: PrivateJournald) throws {
        let payload = #"{"event_category":"kitchen","event_name":"\#(event)",\#(members)}"#
        try journald.send(["SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": payload])
    }

    private func resolutions(_ instance: GlossInstance) async throws -> [String] {
        try await instance.events().compactMap { $0["resolution"] as? String }
    }

    private func version(_ instance: GlossInstance) async throws -> String? {
        (try await instance.status()["dictionaries"] as? [[String: Any]])?.first?["version"] as? String
    }

    @Test func `an undefined event is resolved when its definition is written into the folder`() async throws {
        try await withDaemon { instance, journald in
            let before = try await version(instance)
            try send("open", #""door":"left""#, to: journald)
            try send("close", #""door":"left","angle":5"#, to: journald)
            try send("close", #""door":"left","angle":"wide""#, to: journald)
            try send("slam", #""door":"left""#, to: journald)
            try await eventually("all are stored") {
                try await resolutions(instance) == ["resolved", "undefined", "undefined", "undefined"]
            }
            try instance.write(Self.more, to: Self.definitions)
            try await eventually("they are reprocessed: \(instance.text(of: "glossd.log"))") {
                try await resolutions(instance) == ["resolved", "resolved", "violating", "undefined"]
            }
            let now = try await version(instance)
            #expect(now != before)
            let events = try await instance.events()
            #expect(events.map { $0["definitions_version"] as? String } == [before, now, now, before])
            #expect(events[2]["violations"] as? [[String: String]] != nil)
            try await eventually("the log says so") {
                instance.text(of: "glossd.log").contains(
                    "Reprocessed 2 stored events: 1 resolved, 1 violating")
            }
            // What comes from now on is resolved at once.
            try send("close", #""door":"right","angle":1"#, to: journald)
            try await eventually("the new one is resolved") { try await resolutions(instance).last == "resolved" }
            #expect(try await instance.glossctl("status").status == 0)
        }
    }

    @Test func `a user whose id is hashed is found by the id`() async throws {
        let definitions =
            Self.good + "- who: !bigint\n    - privacy: hash\n    - user\n- shelf: !string\n"
        try await withDaemon(definitions: definitions) { instance, journald in
            for number in 0..<20 {
                try send("open", #""door":"left","who":\#(number % 10),"shelf":"s\#(number % 4)""#, to: journald)
            }
            try await eventually("all are stored") { try await resolutions(instance).count == 20 }
            let shown = try await instance.glossctl("show", "--user", "7", "-o", "ndjson")
            #expect(shown.text.split(separator: "\n").count == 2)
            #expect(!shown.text.contains(#""who":7"#))
            let both = try await instance.glossctl("show", "--user", "7", "--where", "shelf=s3", "-o", "ndjson")
            #expect(both.text.split(separator: "\n").count == 1)
            let refused = try await instance.glossctl("show", "--device", "x")
            #expect(refused.status == 2 || refused.status == 1)
            #expect(refused.errors.contains("no definition has a parameter with the role device"))
        }
    }

    @Test func `what was left when the daemon stopped is reprocessed at the next start`() async throws {
        try await withDaemon { instance, journald in
            try send("close", #""door":"left","angle":5"#, to: journald)
            try await eventually("it is stored") { try await resolutions(instance) == ["undefined"] }
            #expect(await instance.stopDaemon() == 0)
            try instance.write(Self.more, to: Self.definitions)
            try await instance.startDaemonAndWait()
            try await eventually("it is resolved") { try await resolutions(instance) == ["resolved"] }
        }
    }

    @Test func `a broken edit keeps the last good one and is shown with its line, until it is fixed`() async throws {
        try await withDaemon(definitions: Self.more) { instance, journald in
            let before = try await version(instance)
            try instance.write(Self.broken, to: Self.definitions)
            try await eventually("status says so") { try await instance.glossctl("status").status == 1 }
            let status = try await instance.glossctl("status")
            #expect(status.text.contains(#/kitchen\.md:17:\d+: error \[/#), "\(status.text)")
            #expect(try await version(instance) == before)
            try send("close", #""door":"left","angle":5"#, to: journald)
            try await eventually("events are resolved all the same") {
                try await resolutions(instance) == ["resolved"]
            }

            // A restart does not lose the last good one either.
            #expect(await instance.stopDaemon() == 0)
            try await instance.startDaemonAndWait()
            #expect(try await version(instance) == before)
            #expect(try await instance.glossctl("status").status == 1)

            try instance.write(Self.more, to: Self.definitions)
            try await eventually("status is well again") { try await instance.glossctl("status").status == 0 }
            #expect(try await version(instance) == before)
            #expect(instance.text(of: "glossd.log").contains("is fixed"))
        }
    }

    @Test func `at a first start, only the definition with an error is undefined, says where, and is resolved later`()
        async throws
    {
        let broken = Self.more.replacing("!smallint", with: "!small")
        try await withDaemon(definitions: broken) { instance, journald in
            try instance.write("# How to write definitions\n\n- x-y: !z\n", to: "definitions/README.md")
            try send("open", #""door":"left""#, to: journald)
            try send("close", #""door":"left","angle":5"#, to: journald)
            try await eventually("all are stored") { try await resolutions(instance) == ["resolved", "undefined"] }
            let reason = try await instance.events().last?["reason"] as? String
            #expect(reason == "its definition has an error: kitchen.md:16")
            let status = try await instance.glossctl("status")
            #expect(status.status == 1)
            #expect(status.text.contains("1 definition is not in force"), "\(status.text)")
            let reload = try await instance.glossctl("reload")
            #expect(reload.status == 1 && reload.text.contains(#/kitchen\.md:16:\d+: error \[unknown-type\]/#))

            // Other edits of the same file are in force at once.
            let slam = "\n## slam\n\nIt was slammed.\n\n- door: !string 16\n"
            try instance.write(broken + slam, to: Self.definitions)
            try send("slam", #""door":"left""#, to: journald)
            try await eventually("another event is resolved: \(instance.text(of: "glossd.log"))") {
                try await resolutions(instance) == ["resolved", "undefined", "resolved"]
            }
            try instance.write(Self.more + slam, to: Self.definitions)
            try await eventually("it is resolved: \(instance.text(of: "glossd.log"))") {
                try await resolutions(instance) == ["resolved", "resolved", "resolved"]
            }
            #expect(try await instance.events()[1]["reason"] == nil)
            #expect(try await instance.glossctl("status").status == 0)
        }
    }

    @Test func `a folder that is swapped for another is followed`() async throws {
        try await withDaemon { instance, journald in
            try send("close", #""door":"left","angle":5"#, to: journald)
            try await eventually("it is stored") { try await resolutions(instance) == ["undefined"] }
            try instance.write("# common\n\nOf all events.\n", to: "next/common.md")
            try instance.write(Self.more, to: "next/kitchen.md")
            let files = FileManager.default
            try files.moveItem(atPath: instance.path("definitions"), toPath: instance.path("previous"))
            try files.moveItem(atPath: instance.path("next"), toPath: instance.path("definitions"))
            try await eventually("it is resolved") { try await resolutions(instance) == ["resolved"] }
        }
    }

    // MARK: privacy

    private static let secrets = ["hush-name", "hush-mail", "hush-undefined", "hush-unkeyed", "hush-broken"]

    /// Where any of the texts stands: in the store's files, at the receiver, in the logs.
    private func leaks(_ secrets: [String], _ instance: GlossInstance) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: instance.folder.path)
        return names.filter { name in
            guard !name.hasPrefix("definitions"), let data = FileManager.default.contents(atPath: instance.path(name))
            else { return false }
            return secrets.contains { data.firstRange(of: Data($0.utf8)) != nil }
        }
    }

    private func sendSecrets(_ journald: PrivateJournald) throws {
        try send("open", #""name":"hush-name","mail":"hush-mail","door":"left""#, to: journald)
        try send("open", #""name":"hush-name","mail":"hush-mail","door":17"#, to: journald)
        try send("slam", #""name":"hush-undefined","mail":"hush-undefined""#, to: journald)
        for message in [#"{"name":"hush-unkeyed"}"#, #"{"event_name":"open","mail":"hush-broken""#] {
            try journald.send(["SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": message])
        }
    }

    private static let named = good + "- name: !string\n    - privacy: private\n- mail: !string\n    - privacy: hash\n"
    private static let stored = ["resolved", "violating", "undefined", "unkeyed", "malformed"]

    @Test func `a private value reaches neither the store's files nor the receiver nor the log`() async throws {
        let sink: (GlossInstance) -> String = { instance in
            """
            sinks: [{name: up, type: http, url: "\(instance.receiverURL)", start: oldest, compression: none,
              batch: {max_age: 50ms}}]
            """
        }
        try await withDaemon(definitions: Self.named, more: sink, receiver: true) { instance, journald in
            try sendSecrets(journald)
            try await eventually("all are stored") { try await resolutions(instance) == Self.stored }
            try await eventually("all are delivered") { instance.lines(of: "received.ndjson").count == 5 }
            #expect(try leaks(Self.secrets, instance) == [])
            let payloads = try await instance.events().prefix(2).compactMap { $0["payload"] as? [String: Any] }
            #expect(payloads.map { $0["name"] as? String } == ["<private>", "<private>"])
            let hashes = payloads.compactMap { $0["mail"] as? String }
            #expect(hashes.count == 2 && hashes[0] == hashes[1] && hashes[0].hasPrefix("<hash:"))
            let key = try FileManager.default.attributesOfItem(atPath: instance.path("hash.key"))
            #expect(key[.posixPermissions] as? Int == 0o600)
            #expect(key[.size] as? Int == 32)
            #expect(await instance.stopDaemon() == 0)
            #expect(try leaks(Self.secrets, instance) == [])
            // The same key makes the same hash after a restart.
            try await instance.startDaemonAndWait()
            try send("open", #""name":"hush-name","mail":"hush-mail","door":"left""#, to: journald)
            try await eventually("the new one is stored") { try await resolutions(instance).count == 6 }
            let last = try await instance.events().last?["payload"] as? [String: Any]
            #expect(last?["mail"] as? String == hashes.first)
        }
    }

    @Test func `values stored before their name became private are replaced in the store's files`() async throws {
        try await withDaemon(
            definitions: Self.good + "- name: !string\n- mail: !string\n",
            { instance, journald in
                try sendSecrets(journald)
                try await eventually("all are stored") { try await resolutions(instance) == Self.stored }
                #expect(try leaks(Self.secrets, instance).contains { $0.hasPrefix("events.sqlite") })
                try instance.write(Self.named, to: Self.definitions)
                try await eventually("no event has one: \(instance.text(of: "glossd.log"))") {
                    let shown = try await instance.glossctl("show", "-n", "all", "-o", "ndjson").text
                    return !Self.secrets.contains { shown.contains($0) }
                }
                #expect(try await resolutions(instance) == Self.stored)
                // The write-ahead log still has the pages as they were, until it is emptied.
                #expect(await instance.stopDaemon() == 0)
                #expect(try leaks(Self.secrets, instance) == [])
            })
    }

    @Test func `values that alerts and funnels have kept are replaced, in notices that are not sent yet, too`()
        async throws
    {
        let alerts = """
            notifiers: [{name: page, type: command, command: [/no/such/program]}]
            alerts:
              - {name: names, predicate: event == kitchen/open, when: {count: 1, within: 1h}, by: [name], notify: [page]}
              - {name: mails, predicate: event == kitchen/open, when: {distinct: mail, count: 1, within: 1h}}
            """
        try await withDaemon(definitions: Self.good + "- name: !string\n- mail: !string\n", more: { _ in alerts }) {
            instance, journald in
            try instance.write(
                """
                checklist: names
                items: [kitchen/open, kitchen/slam]
                funnels: [{name: opened, steps: [kitchen/open, kitchen/slam], by: name}]
                """, to: "list.yaml")
            let start = try await instance.glossctl("checklist", "start", instance.path("list.yaml"))
            #expect(start.status == 0, "\(start.errors)")
            try sendSecrets(journald)
            try await eventually("notices wait") {
                try await instance.glossctl("alerts", "history").text.contains("(name hush-name)")
            }
            try await eventually("the notifier is held") {
                try await instance.glossctl("status").text.contains("/no/such/program: No such file")
            }
            #expect(await instance.stopDaemon() == 0)
            #expect(try leaks(Self.secrets, instance).contains { $0.hasPrefix("events.sqlite") })
            // The files change while nobody looks.
            try instance.write(Self.named, to: Self.definitions)
            let (sent, program) = (instance.path("sent"), instance.path("page"))
            try instance.write("#!/bin/sh\n{ cat; echo; } >> \(sent)\n", to: "page")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            try instance.write(
                instance.text(of: "gloss.yaml").replacing("/no/such/program", with: program), to: "gloss.yaml")
            try await instance.startDaemonAndWait()
            try await eventually("the notice is sent") { instance.text(of: "sent").contains("(name <private>)") }
            #expect(try await instance.glossctl("alerts", "history").text.contains("(name <private>)"))
            #expect(try await instance.glossctl("alerts").text.contains("<private>"))
            let list = try await instance.glossctl("checklist", "show", "names").text
            #expect(list.contains("opened"), "\(list)")
            try await eventually("events are reprocessed: \(instance.text(of: "glossd.log"))") {
                instance.text(of: "glossd.log").contains("Reprocessed")
            }
            #expect(await instance.stopDaemon() == 0)
            #expect(try leaks(Self.secrets, instance) == [])
        }
    }

    @Test func `reveal is loud, and what it stored is protected once it is over`() async throws {
        try await withDaemon(definitions: Self.named, more: { _ in "privacy: reveal" }) { instance, journald in
            try sendSecrets(journald)
            try await eventually("all are stored") { try await resolutions(instance) == Self.stored }
            let status = try await instance.glossctl("status")
            #expect(status.status == 1)
            #expect(status.text.contains("privacy is set to reveal"), "\(status.text)")
            #expect(try await instance.status()["privacy"] as? String == "reveal")
            #expect(instance.text(of: "glossd.log").contains("<4>privacy is set to reveal"))

            try instance.write(
                instance.text(of: "gloss.yaml").replacing("privacy: reveal", with: ""), to: "gloss.yaml")
            #expect(try await instance.glossctl("reload").status == 0)
            try await eventually("what was stored is protected: \(instance.text(of: "glossd.log"))") {
                instance.text(of: "glossd.log").contains("is protected now")
            }
            let shown = try await instance.glossctl("show", "-n", "all", "-o", "ndjson").text
            #expect(!Self.secrets.contains { shown.contains($0) }, "\(shown)")
            #expect(try await instance.status()["privacy"] as? String == "protect")
        }
    }

    @Test func `a key that others may read stops the start, and says what to do`() async throws {
        try await GlossInstance.with { instance in
            try instance.configure(journal: "{start: now}")
            try instance.write(String(repeating: "k", count: 32), to: "hash.key")
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644], ofItemAtPath: instance.path("hash.key"))
            let start = try await GlossInstance.run(
                GlossInstance.programs.appending(path: "glossd").path, ["--config", instance.path("gloss.yaml")])
            #expect(start.status == 78)
            #expect(start.errors.contains("hash.key can be read by others"))
            #expect(start.errors.contains("chmod 600"))
            #expect(!start.errors.contains("kkkk"))
        }
    }
}
