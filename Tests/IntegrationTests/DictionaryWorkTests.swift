import Foundation
import TestSupport
import Testing

/// What is done with a dictionary, from the command line and through the daemon: with the sample, and with the one that
/// has every construct of the format, in English and Japanese.
@Suite(.timeLimit(.minutes(5)), .enabled(if: Requirement.journald == nil, "\(Requirement.journald ?? "")"))
struct DictionaryWorkTests {
    struct Subject: CustomStringConvertible, Sendable {
        var description: String
        var folder: String
        /// The settings' entry, but for the path.
        var settings: String
        var definitions: Int
        var sent: [String]
        var resolutions: [String]
        var search: (word: String, found: String)
        var shown: (key: String, says: [String])
    }

    static let sample = Subject(
        description: "sample", folder: "config/definitions", settings: "name: shop", definitions: 5,
        sent: [
            #"{"event_category":"recipe_search","event_name":"search","session_id":"s","platform":"ios","keyword":"肉じゃが","order":"new","results":3}"#,
            #"{"event_category":"recipe_detail","event_name":"show","session_id":"s","platform":"ios","recipe_id":"x"}"#,
            #"{"event_category":"recipe_detail","event_name":"shwo","session_id":"s","platform":"ios"}"#,
        ],
        resolutions: ["resolved", "violating", "undefined"], search: ("検索語", "recipe_search/search"),
        shown: (
            "recipe_detail/tap_save_button", ["The user saved the recipe to a folder.", "保存先のフォルダー名", "!string? 128"]
        ))

    static let everything = Subject(
        description: "everything", folder: "Tests/DefinitionsTests/Fixtures/dictionaries/everything",
        settings: """
            name: everything, types: {RecipeID: bigint, SearchOrder: [new, popular, 人気順]}, \
            links: {Code: "https://git.example.com/search?q={category}+{event}"}
            """,
        definitions: 19,
        sent: [
            #"{"event_category":"recipe_search","event_name":"search","device_id":"d1","platform":"ios","keyword":"肉じゃが","order":"人気順","results":3,"source":"候補"}"#,
            #"{"event_category":"account","event_name":"sign_up","device_id":"d1","platform":"web","plan":"gold","email":"me@home.example","newsletter":true,"age_group":15,"locale":"ja"}"#,
            #"{"event_category":"account","event_name":"sing_up","device_id":"d1","platform":"web","email":"me@home.example"}"#,
        ],
        resolutions: ["resolved", "violating", "undefined"], search: ("ヒットした", "recipe_search/search"),
        shown: ("account/sign_up", ["A user signed up.", "private", "free, premium", "git.example.com"]))

    private static func prepare(_ instance: GlossInstance, _ subject: Subject, _ journald: PrivateJournald) throws {
        try FileManager.default.copyItem(
            atPath: GlossInstance.root.appending(path: subject.folder).path, toPath: instance.path("definitions"))
        try instance.write(
            """
            journal: {namespace: \(journald.namespace)}
            sources: [{subsystem: "com.example.*"}]
            dictionaries: [{path: definitions, category: ActivityLog, \(subject.settings)}]
            store: {path: events.sqlite}
            control: {socket: control.sock}
            """, to: "gloss.yaml")
    }

    @Test(arguments: [sample, everything])
    func `definitions are checked and become code without a daemon`(_ subject: Subject) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try Self.prepare(instance, subject, journald)
                let config = ["--config", instance.path("gloss.yaml")]
                let lint = try await instance.glossctl(["lint"] + config)
                #expect(lint.status == 0, "\(lint.text)")
                #expect((lint.text + lint.errors).contains("0 errors"))
                let json = try await instance.glossctl(["lint", "-o", "sarif"] + config)
                #expect(
                    (try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])?["runs"] != nil)
                let check = try await GlossInstance.run(
                    GlossInstance.programs.appending(path: "glossd").path, ["--check"] + config)
                #expect(check.status == 0)
                #expect(check.text.contains("\(subject.definitions) definitions"), "\(check.text)")
                for language in ["swift", "python", "json-schema"] {
                    let words = ["generate", language, "--output", instance.path(language)] + config
                    #expect(try await instance.glossctl(words).status == 0)
                    #expect(try await instance.glossctl(words + ["--check"]).status == 0)
                    try instance.write("## new_event\n\nOne more.\n", to: "definitions/another_category.md")
                    #expect(try await instance.glossctl(words + ["--check"]).status == 1)
                    try FileManager.default.removeItem(atPath: instance.path("definitions/another_category.md"))
                }
                try instance.write("## x\n- user-id: !bigint\n", to: "definitions/broken.md")
                let broken = try await instance.glossctl(["lint"] + config)
                #expect(broken.status == 1)
                #expect(broken.text.contains(#/broken\.md:2:\d+: error \[half-read-name\]: /#), "\(broken.text)")
            }
        }
    }

    @Test(arguments: [sample, everything])
    func `what is defined, and what was sent, can be looked up and reported`(_ subject: Subject) async throws {
        try await PrivateJournald.withOne { journald in
            try await GlossInstance.with { instance in
                try Self.prepare(instance, subject, journald)
                try await instance.startDaemonAndWait()
                for payload in subject.sent {
                    try journald.send(["SUBSYSTEM": "com.example.shop", "CATEGORY": "ActivityLog", "MESSAGE": payload])
                }
                try await eventually("all are stored") { try await instance.events().count == subject.sent.count }
                let events = try await instance.events()
                #expect(events.map { $0["resolution"] as? String } == subject.resolutions)

                let list = try await instance.glossctl("definitions")
                #expect(list.lines.count == subject.definitions + 1, "\(list.text)")
                let search = try await instance.glossctl("search", subject.search.word)
                #expect(search.status == 0)
                #expect(search.text.contains(subject.search.found))
                let shown = try await instance.glossctl("definitions", "show", subject.shown.key)
                for text in subject.shown.says { #expect(shown.text.contains(text), "\(shown.text)") }
                #expect(try await instance.glossctl("definitions", "versions").lines.count == 2)

                let report = try await instance.glossctl("report", "--fail-on", "undefined,violations")
                #expect(report.status == 1)
                #expect(report.errors.contains("--fail-on"))
                let unseen = try await instance.glossctl("report", "unseen", "-o", "csv", "--fail-on", "undefined")
                #expect(unseen.status == 2)
                #expect(try await instance.glossctl("report", "unseen", "-o", "markdown").text.contains("|"))
                for report in ["undefined", "unseen", "violations", "obsolete"] {
                    let raw = try await GlossInstance.run(
                        "/usr/bin/curl",
                        ["-s", "--unix-socket", instance.socket, "http://gloss/v1/reports/\(report)"])
                    let reply = try JSONSerialization.jsonObject(with: Data(raw.text.utf8)) as? [String: Any]
                    #expect(reply?["rows"] is [Any], "\(raw.text)")
                }
                #expect(!instance.text(of: "glossd.log").contains("home.example"))
                #expect(
                    !(try await instance.glossctl("show", "-n", "all", "-o", "ndjson").text.contains("home.example")))
                #expect(await instance.stopDaemon() == 0)
            }
        }
    }
}
