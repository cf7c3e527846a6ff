import Foundation
import Settings
import TestSupport
import Testing

@testable import Daemon

struct ConfigurationTests {
    private static let plain = """
        sources: [{subsystem: "com.example.*"}]
        dictionaries: [{name: shop, path: shop}]
        predicates: {slow: took > 2s, late: "@slow and time > yesterday"}
        notifiers: [{name: log, type: journal}]
        alerts: [{name: errors, predicate: level >= error, when: {count: 1, within: 5m}, notify: [log]}]
        """

    private func configuration(_ settings: String, in root: URL) throws -> Configuration {
        let folder = root.appending(path: "shop")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("# shop\n## buy\nBought.\n\n- took: !integer\n".utf8).write(to: folder.appending(path: "shop.md"))
        let file = root.appending(path: "gloss.yaml")
        try Data(settings.utf8).write(to: file)
        return try Configuration(path: file.path)
    }

    @Test func `settings that are no file of their own are told from a text that is none`() async throws {
        try await withTemporaryFolder { root in
            func problem(_ name: String) -> String {
                let error = #expect(throws: SettingsError.self) {
                    try Configuration(path: root.appending(path: name).path)
                }
                return error?.problems.first?.message ?? ""
            }
            try #require(mkfifo(root.appending(path: "pipe").path, 0o600) == 0)
            try #require(symlink("loop", root.appending(path: "loop").path) == 0)
            try Data([0x61, 0xFF]).write(to: root.appending(path: "bytes"))
            #expect(problem("pipe") == "this is no regular file; name the settings file")
            #expect(problem("loop").hasPrefix("cannot be read: Too many levels of symbolic links"))
            #expect(problem("bytes/x").hasPrefix("cannot be read: Not a directory"))
            #expect(problem("none").hasPrefix("there is no such file"))
            #expect(problem("bytes") == "not a UTF-8 text")
            #expect(problem("").hasPrefix("this is a folder"))
        }
    }

    @Test(arguments: [("store: {path: shop}", "store.path"), ("control: {socket: ./shop}", "control.socket")])
    func `a folder where a file has to be is said before it is needed`(setting: String, name: String) async throws {
        try await withTemporaryFolder { root in
            let missing = try configuration("\(Self.plain)\n\(setting)\n", in: root).missing
            #expect(
                missing.count == 1 && missing[0].hasPrefix("\(name) /")
                    && missing[0].contains("/shop: this is a folder"))
        }
    }

    @Test(arguments: [
        ("gloss.yaml", "/gloss.yaml: this is no folder"), ("later", "/later: No such file"), ("shop", nil),
    ])
    func `a file where a folder has to be is said before it is needed`(path: String, end: String?) async throws {
        try await withTemporaryFolder { root in
            let missing = try configuration("\(Self.plain)\njournal: {directory: \(path)}\n", in: root).missing
            guard let end else { return #expect(missing == []) }
            #expect(missing.count == 1 && missing[0].hasPrefix("journal.directory /") && missing[0].contains(end))
        }
    }

    @Test func `a namespace that nobody has is said before it is read`() async throws {
        try await withTemporaryFolder { root in
            let settings = "\(Self.plain)\njournal: {namespace: gloss-test-nobody-has-this}\n"
            let missing = try configuration(settings, in: root).missing
            let notifier = "notifier log: no journald listens at /run/systemd/journal.gloss-test-nobody-has-this/socket"
            #expect(missing.count == 2 && missing[0].hasPrefix("journal.namespace gloss-test-nobody-has-this: /"))
            #expect(missing.last == notifier)
        }
    }

    @Test(arguments: [
        ("predicate: level >= error", "predicate: tok == 3", "alert errors is held: there is no key"),
        (
            "when: {count: 1,", "by: [tok], when: {count: 1,",
            "alert errors is held: events cannot be distinguished by tok"
        ),
        ("when: {count: 1,", "show: [message, tok], when: {count: 1,", "alert errors: notices cannot show tok"),
        (
            "slow: took > 2s", "slow: took > 2s, x: tok > 2s",
            "predicate @x: there is no key and no defined parameter tok"
        ),
    ])
    func `what has no meaning is said before it is in force`(part: String, wrong: String, expected: String) async throws
    {
        try await withTemporaryFolder { root in
            #expect(try configuration(Self.plain, in: root).missing == [])
            let missing = try configuration(Self.plain.replacing(part, with: wrong), in: root).missing
            #expect(missing.count == 1 && missing[0].hasPrefix(expected), "\(missing)")
        }
    }

    @Test(arguments: [
        ("predicate: level >= error", "predicate: level >= eror", "alert errors: a level is one of"),
        ("predicate: level >= error", "predicate: tok == 3 and level >= eror", "alert errors: a level is one of"),
        ("predicate: level >= error", "predicate: time > -5m", "alert errors: a time in the predicate"),
        ("predicate: level >= error", "predicate: journal.N == 3", "alert errors: an event has journal fields only"),
        ("predicate: level >= error", "predicate: message matches '('", "alert errors: "),
        ("when: {count: 1,", "by: [id], when: {count: 1,", "alert errors: events cannot be distinguished by id"),
        ("when: {count: 1,", "show: [message, uid], when: {count: 1,", "alert errors: notices cannot show uid"),
        (
            "when: {count: 1,", "by: [violation.rule, warning.rule], when: {count: 1,",
            "alert errors: keys of violations"
        ),
        ("slow: took > 2s", "slow: took > 2s, x: uid == 4", "predicate @x: a uid has 32"),
    ])
    func `what no dictionary can give a meaning is refused`(part: String, wrong: String, expected: String) async throws
    {
        try await withTemporaryFolder { root in
            let error = #expect(throws: SettingsError.self) {
                try configuration(Self.plain.replacing(part, with: wrong), in: root)
            }
            #expect(error?.problems.count == 1 && error?.problems[0].message.hasPrefix(expected) == true, "\(error)")
        }
    }

    @Test func `all that is wrong is said at once, each with its line`() async throws {
        try await withTemporaryFolder { root in
            let settings = """
                sources: [{subsytem: x}]
                predicates:
                  slow: uid == 4
                sinks:
                  - name: up
                    type: http
                    url: https://example.com/
                    predicate: level >= eror
                alerts:
                  - name: errors
                    predicate: level >= eror
                    when: {count: 1, within: 5m}
                    notify: [nobody]
                  - {name: b, predicate: level >= error, when: often, notify: [nobody]}
                """
            let error = try #require(throws: SettingsError.self) { try configuration(settings, in: root) }
            let places = error.problems.map { "\($0.line ?? 0) \($0.message.prefix(24))" }
            #expect(
                places.sorted().filter { $0.hasPrefix("1") && !$0.hasPrefix("1 ") } == [
                    "11 alert errors: a level is", "13 alerts[0].notify must be", "14 alerts[1].notify must be",
                    "14 alerts[1].when must be a",
                ], "\(error)")
            #expect(places.contains("3 predicate @slow: a uid h") && places.contains("8 sink up: predicate: a le"))
        }
    }

    @Test(arguments: ["hash.key", "/var/lib/gloss/hash.key"])
    func `a store where its key has to be is refused`(path: String) async throws {
        try await withTemporaryFolder { root in
            let error = #expect(throws: SettingsError.self) {
                try configuration("store: {path: \(path)}", in: root)
            }
            #expect(error?.description.contains("store.path: glossd keeps a key") == true)
            _ = try configuration("store: {path: \(path).sqlite}", in: root)
        }
    }

    @Test(arguments: [
        ("type: webhook, url: 'https://'", "notifier log: url has no host"),
        ("type: webhook, url: 'http://u:p@h/'", "notifier log: url holds a user name or password"),
        (
            "type: webhook, url: 'http://192.0.2.1/', token_file: t",
            "notifier log: url begins with http://, which would"
        ),
        (
            "type: webhook, url_file: u, headers: {Content-Type: text/plain}",
            "notifier log: the header Content-Type is set by Gloss itself"
        ),
        (
            "type: webhook, url: 'https://h', headers: {A: \"a\\u0001\"}",
            "notifiers[0].headers must be a block of HTTP header names and their one-line values"
        ),
    ])
    func `a notifier that cannot work is refused as a sink is`(notifier: String, expected: String) async throws {
        try await withTemporaryFolder { root in
            let error = #expect(throws: SettingsError.self) {
                try configuration(Self.plain.replacing("type: journal", with: notifier), in: root)
            }
            #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
        }
    }

    @Test func `a sink that cannot send is refused`() async throws {
        try await withTemporaryFolder { root in
            let error = #expect(throws: SettingsError.self) {
                try configuration("\(Self.plain)\nsinks: [{name: up, type: http, url: 'https://'}]\n", in: root)
            }
            let expected = "sink up: url has no host"
            #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
        }
    }

    @Test(arguments: [
        ("type: webhook, url_file: u", "notifier log: the address file /", "/u cannot be read: No such file"),
        ("type: webhook, url: 'https://h', token_file: t", "notifier log: the token file /", "/t cannot be read"),
        ("type: webhook, url: 'https://h', ca_file: c", "ca_file of the notifier log, /", "/c: No such file"),
        ("type: command, command: [/no/such, x]", "command of the notifier log, /no/such", ": No such file"),
    ])
    func `what a notifier lacks is said before it is needed`(
        notifier: String, beginning: String, end: String
    ) async throws {
        try await withTemporaryFolder { root in
            let missing = try configuration(Self.plain.replacing("type: journal", with: notifier), in: root).missing
            #expect(missing.count == 1 && missing[0].hasPrefix(beginning) && missing[0].contains(end), "\(missing)")
        }
    }

    @Test(arguments: [
        ("{\"text\": \"{text}\"}", true), ("{}", true), ("{\"text\": \"{{ text }}\"}", false),
        ("{\"id\": \"{{event}}\"}", false),
    ])
    func `a template that is the same for all notices is doubted`(template: String, isDoubted: Bool) async throws {
        try await withTemporaryFolder { root in
            let webhook = "type: webhook, url: 'https://h', template: '\(template)'"
            let configuration = try configuration(Self.plain.replacing("type: journal", with: webhook), in: root)
            #expect(configuration.doubts.count == (isDoubted ? 1 : 0) && configuration.missing == configuration.doubts)
            #expect(configuration.doubts.allSatisfy { $0.hasPrefix("template of the notifier log: without {{text}}") })
        }
    }

    @Test func `what is written twice is doubted`() async throws {
        try await withTemporaryFolder { root in
            let source = "{subsystem: \"com.example.*\"}"
            let twice = Self.plain.replacing("[\(source)]", with: "[\(source), \(source)]")
            let configuration = try configuration(twice, in: root)
            #expect(configuration.doubts == ["sources[1] is left out: sources[0] is the same"])
            #expect(configuration.missing == configuration.doubts)
        }
    }

    @Test(arguments: [
        ("directory: shop", "they are written to the machine's journal, and journal.directory is /"),
        ("namespace: gloss-test-none", "no journald listens at /run/systemd/journal.gloss-test-none/socket"),
    ])
    func `diagnostics that glossd would not read are doubted`(journal: String, reason: String) async throws {
        try await withTemporaryFolder { root in
            let settings = "\(Self.plain)\njournal: {\(journal)}\n"
            #expect(try configuration(settings, in: root).doubts == [])
            let doubts = try configuration("\(settings)diagnostics: {events: true}\n", in: root).doubts
            let beginning = "diagnostics.events: no diagnostic becomes an event, since \(reason)"
            #expect(doubts.count == 1 && doubts[0].hasPrefix(beginning), "\(doubts)")
        }
    }

    @Test(arguments: [
        (0o600, nil), (0o440, nil), (0o644, "everybody may read it; "), (0o660, "its group may change it; "),
        (0o664, "its group may change it, and everybody may read it; "), (0o666, nil), (0o602, nil),
    ])
    func `a secret that others may read or change is said, or not used`(mode: Int, exposure: String?) async throws {
        try await withTemporaryFolder { root in
            for name in ["u", "t"] {
                let file = root.appending(path: name)
                try Data("https://h/x\n".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
            }
            let sinks = "sinks: [{name: up, type: http, url: 'https://h', token_file: t}]"
            let notifier = "type: webhook, url_file: u, token_file: t"
            let found = try configuration(
                "\(Self.plain.replacing("type: journal", with: notifier))\n\(sinks)\n", in: root)
            let isRefused = mode & 0o002 != 0
            #expect(found.doubts.count == (exposure == nil ? 0 : 3))
            for (line, what) in zip(found.doubts, ["token_file of the sink up, /", "token_file of", "url_file of"]) {
                #expect(line.hasPrefix(what) && line.contains(": \(exposure ?? "")"), "\(line)")
            }
            let missing = found.missing.dropLast(found.doubts.count)
            #expect(missing.count == (isRefused ? 3 : 0))
            #expect(missing.allSatisfy { $0.contains("may be changed by everybody") }, "\(missing)")
        }
    }

    @Test func `a reload says which alerts and notifiers have changed`() async throws {
        try await withTemporaryFolder { root in
            let old = try configuration(Self.plain, in: root).settings
            func changes(_ settings: String) throws -> [String] {
                try configuration(settings, in: root).changes(from: old, inForce: []).filter {
                    !$0.hasPrefix("dictionary")
                }
            }
            #expect(try changes(Self.plain) == [])
            let changed = Self.plain.replacing("count: 1,", with: "count: 2,").replacing(
                "{name: log,", with: "{name: out,"
            )
            .replacing("[log]", with: "[out]")
            #expect(
                try changes(changed) == ["alert errors changed", "notifier out is new", "notifier log is gone"])
        }
    }

    @Test(arguments: [
        ("diagnostics: {events: false}", "diagnostics: {events: true}", "diagnostics.events: true instead of false"),
        (
            "dictionaries: [{name: a, path: a, subsystem: a.*}, {name: b, path: b, subsystem: b.*}]",
            "dictionaries: [{name: b, path: b, subsystem: b.*}, {name: a, path: a, subsystem: a.*}]",
            "dictionaries: another order"
        ),
    ])
    func `a reload says which other settings have changed`(old: String, new: String, change: String) async throws {
        try await withTemporaryFolder { root in
            let before = try configuration(old, in: root).settings
            #expect(try configuration(old, in: root).changes(from: before, inForce: []) == [])
            #expect(try configuration(new, in: root).changes(from: before, inForce: []) == [change])
        }
    }
}
