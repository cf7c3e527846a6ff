import API
import Foundation
import Model
import Predicates
import Testing

@testable import Control

struct PredicateOptionTests {
    private func predicate(_ arguments: [String], item: String = "predicate") async throws -> (String?, Run) {
        let daemon = try FakeDaemon { _ in .problem(422, "no more") }
        defer { daemon.stop() }
        let run = await Run.glossctl(["--socket", daemon.socket] + arguments)
        let items = daemon.requests.flatMap { URLComponents(string: $0.target)?.queryItems ?? [] }
        return (items.first { $0.name == item }?.value, run)
    }

    @Test(arguments: [
        ("recipe_detail/show", "recipe_detail/show"), ("and", "and"), ("a b", "\"a b\""), ("", "\"\""),
        ("null", "\"null\""), ("NIL", "\"NIL\""), ("夕食", "\"夕食\""),
    ])
    func `a value that is completed is what a predicate takes for it`(text: String, written: String) throws {
        #expect(TypedWord.value(text, isQuoted: false) == written)
        _ = try PredicateParser.parse("user == \(written)")
    }

    @Test(arguments: [
        (["show", "level >= error"], "level >= error"), (["tail", "--no-reconnect", "user = 42"], "user = 42"),
        (
            ["show", "--predicate", "time > -5m and x = 1", "-n", "3"],
            "time > \"@\(Run.now / 1_000_000 - 300).000000\" and x = 1"
        ),
        (["report", "undefined", "--predicate", "not exists user"], "not exists user"),
        (
            ["show", "a = 1 or x = 2", "--predicate", "b = 1", "--predicate", "c = 1"],
            "(a = 1 or x = 2) and (b = 1) and (c = 1)"
        ),
    ])
    func `a predicate is sent as it was written, with the times that are meant here`(
        arguments: [String], sent: String
    ) async throws {
        let (found, run) = try await predicate(arguments)
        #expect(found == sent, "\(run.errors) \(run.status)")
    }

    @Test(arguments: ["show", "stats"])
    func `predicates that have too many conditions together are wrong usage`(command: String) async throws {
        let half = Array(repeating: "a = 1", count: 300).joined(separator: " or ")
        #expect(try await predicate([command, "--predicate", half]).0 == half)
        let (sent, run) = try await predicate([command, "--predicate", half, "--predicate", half])
        #expect(sent == nil && run.status == .wrongUsage)
        #expect(run.errors == "glossctl: the predicates together: more than 500 conditions\n")
    }

    @Test func `what a name of the daemon makes too long is left to the daemon`() async throws {
        let half = Array(repeating: "a = 1", count: 300).joined(separator: " or ")
        let keys = KeyCatalog(
            keys: [], parameters: [], users: [], predicates: [.init(name: "half", predicate: half)])
        let known = Array(try APICoding.encode(keys))
        let daemon = try FakeDaemon { request in
            request.target == "/v1/keys" ? .document(known) : .problem(400, "predicate: more than 500 conditions")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl("--socket", daemon.socket, "show", "@half and (\(half))")
        #expect(run.status == .wrongUsage && run.errors == "glossctl: predicate: more than 500 conditions\n")
    }

    @Test func `users have predicates with names`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "gloss"), withIntermediateDirectories: true)
        let file = folder.url.appending(path: "gloss/predicates")
        try Data("# mine\nrecent = time > -5m\nbad = level >= err and @recent\n".utf8).write(to: file)
        let keys = KeyCatalog(
            keys: [], parameters: [], users: [],
            predicates: [.init(name: "theirs", predicate: "x = 1"), .init(name: "today", predicate: "time > -1d")])
        let known = Array(try APICoding.encode(keys))
        let daemon = try FakeDaemon { request in
            request.target == "/v1/keys" ? .document(known) : .problem(422, "no more")
        }
        defer { daemon.stop() }
        let environment = ["XDG_CONFIG_HOME": folder.root]
        for (predicate, count) in [("not @bad or @theirs", nil), ("@recent", "all"), ("@today and not @theirs", "all")]
        {
            _ = await Run.glossctl(["--socket", daemon.socket, "show", predicate], environment: environment)
            let last = daemon.requests.last.flatMap { URLComponents(string: $0.target)?.queryItems } ?? []
            #expect(last.first { $0.name == "n" }?.value == count, "\(predicate)")
        }
        let items = daemon.requests.flatMap { URLComponents(string: $0.target)?.queryItems ?? [] }
        #expect(
            items.first { $0.name == "predicate" }?.value
                == "not ( level >= err and ( time > \"@\(Run.now / 1_000_000 - 300).000000\")) or @theirs")
        try Data("bad = level >=\n".utf8).write(to: file)
        let run = await Run.glossctl(["--socket", daemon.socket, "show", "@bad"], environment: environment)
        #expect(run.status == .wrongUsage && run.errors.contains("gloss/predicates: line 1: expected a value"))
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        let folders = await Run.glossctl(["--socket", daemon.socket, "show", "@bad"], environment: environment)
        #expect(folders.status == .wrongUsage && folders.errors.contains("gloss/predicates: Is a directory; it should"))
        let other = await Run.glossctl(["--socket", daemon.socket, "show", "level = err"], environment: environment)
        #expect(other.errors.contains("no more"))
    }

    @Test(arguments: [
        (["@recnt"], "there is no predicate @recnt; none has a name", "Did you mean your own @recent?\n"),
        (["--predicate=a = 1 or @x"], "there is no predicate @x; there are @y", "Your own are @mine, @recent.\n"),
        (["@x"], "there is no key x", ""),
        // A name that is in a file.
        (["a = 1"], "a.yaml:3: error: item b: there is no predicate @recnt; none has a name", ""),
    ])
    func `a name that glossd does not know may be like one of the user's`(
        arguments: [String], detail: String, hint: String
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try FileManager.default.createDirectory(
            at: folder.url.appending(path: "gloss"), withIntermediateDirectories: true)
        try Data("recent = time > -5m\nmine = x = 1\n".utf8).write(to: folder.url.appending(path: "gloss/predicates"))
        let daemon = try FakeDaemon { _ in .problem(422, detail) }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "report", "unseen"] + arguments, environment: ["XDG_CONFIG_HOME": folder.root])
        #expect(run.errors == "glossctl: \(detail)\n\(hint)")
    }

    @Test(arguments: [
        ("time > -5m", "all"), ("program_time < now and x = 1", "all"), ("user = 42", nil),
        ("not time < now", "all"), ("not (x = 1 or time < now)", "all"), ("not (x = 1 and time < now)", nil),
        ("not time = now", nil), ("not time != now", "all"), ("time < now or x = 1", nil), ("exists time", nil),
        ("boot = 5f1d0c9a5c9f4a0ba1c3f1d2e3b4a596 or time > -1h", "all"),
    ])
    func `a time in a predicate selects a range, of which all events are shown`(
        predicate: String, count: String?
    ) async throws {
        #expect(try await self.predicate(["show", predicate], item: "n").0 == count)
    }

    @Test(arguments: [
        (["show", "level >="], "expected a value"), (["show", "time > soon"], "not a time"),
        (["show", "a = 1", "--predicate", "b ="], "expected a value"), (["tail", "(a = 1"], "expected )"),
    ])
    func `a wrong predicate is wrong usage`(arguments: [String], reason: String) async throws {
        let (sent, run) = try await predicate(arguments)
        #expect(sent == nil && run.status == .wrongUsage)
        #expect(run.errors.contains(reason), "\(run.errors)")
    }

    @Test(
        arguments: [
            (["HOME": "/h"], "/h/.config"), (["HOME": "/h", "XDG_CONFIG_HOME": "/x"], "/x"),
            (["HOME": "/h", "XDG_CONFIG_HOME": "x"], "/h/.config"), (["HOME": ""], nil), (["HOME": "h"], nil),
            ([:], nil),
        ] as [([String: String], String?)])
    func `a folder of the user is never a relative path`(environment: [String: String], folder: String?) {
        #expect(Console.folder("XDG_CONFIG_HOME", orInHome: ".config", environment) == folder)
    }
}
