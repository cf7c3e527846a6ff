import Foundation
import Testing

@testable import Control

/// Command lines of people who have not read the manual, and the answers they get.
@Suite struct FirstUseTests {
    @Test(arguments: [
        ("recipe_id!=123", "!= is not supported"), ("recipe_id>=1", ">= is not supported"),
        ("recipe_id<=1", "<= is not supported"), ("recipe_id==1", "== is not supported"),
        ("recipe_id=~x", "=~ is not supported"), ("recipe_id~=x", "~= is not supported"),
        ("recipe_id", "write NAME=VALUE"), ("recipe_id<1", "write NAME=VALUE"),
        ("=1", "write NAME=VALUE"),
        ("", "write NAME=VALUE"), ("recipe_id = 1", "a parameter's name has no spaces"),
        (" recipe_id=1", "a parameter's name has no spaces"),
        ("!recipe_id=5", "a parameter's name has letters, digits"), ("recipe_id=>5", "> is not supported"),
        ("recipe_id=<-5", "< is not supported"), ("recipe_id=! 5", "! is not supported"),
        ("recipe_id=>=5", #"write a predicate: 'payload.recipe_id == ">=5"'"#),
        ("recipe_id=!=x", "!= is not supported"), ("(a)=5", "a parameter's name has letters, digits"),
    ])
    func `a condition that is not known is an error that says the form`(condition: String, says: String) async {
        for command in ["show", "tail", "report"] {
            let run = await Run.glossctl(command, "--where", condition)
            #expect(run.status == .wrongUsage)
            #expect(run.errors.contains(says), "\(run.errors)")
            #expect(run.errors.contains("--where recipe_id=42"))
        }
    }

    @Test(arguments: [
        "recipe_id=1", "recipe_id=", "ids=[1,2]", "名前=保存 する", "a-b.c=x=y", "text=<b>!", "text=!a", "id=<hash:42>",
        "device.os=17.1",
    ])
    func `any value, and any name without spaces, reaches the daemon`(condition: String) async throws {
        let event = try Fixture.lines("events.ndjson")[0]
        let (run, requests) = try await ask("show", "--where", condition, "-o", "ndjson") { _ in .lines([event]) }
        #expect(run.status == .done)
        let (_, tails) = try await ask("tail", "--where", condition, "--no-reconnect") { _ in .lines([]) }
        for request in [requests.first, tails.first] {
            let target = try #require(request?.target)
            #expect(target.removingPercentEncoding?.contains("where=\(condition)") == true)
        }
    }

    @Test(arguments: [
        (
            "show timeout", "timeout",
            "write -g timeout to find the text, or --event 'timeout/*' for a category of events"
        ),
        (
            "show no_funds", "no_funds",
            "write -g no_funds to find the text, or --event 'no_funds/*' for a category of events"
        ),
        ("tail level", "level", "write 'level == VALUE'"),
        ("show payload.took", "payload.took", "write 'payload.took == VALUE'"),
        ("show 17", "17", "glossctl event 17 shows the event with this id"),
        ("show error", "error", "write -p error"), ("show fatal", "fatal", "write -p fatal"),
        ("report checkout/pay", "checkout/pay", "write --event checkout/pay"),
        ("stats event", "event", "write --by event"),
        ("stats took_ms", "took_ms", "write --by took_ms or --of took_ms"),
        ("top unit", "unit", "write --by unit"),
    ])
    func `a word where a predicate stands is answered with what it may mean`(
        line: String, word: String, hint: String
    ) async {
        let run = await Run.glossctl(line.split(separator: " ").map(String.init))
        #expect(run.status == .wrongUsage)
        #expect(run.errors == "glossctl: '\(word)' is no predicate: \(hint)\n")
    }

    @Test func `words where a predicate stands are a text to find, unless one of them is an operator`() async {
        let words = await Run.glossctl("show", "no funds")
        #expect(words.errors == "glossctl: 'no funds' is no predicate: write -g 'no funds' to find the text\n")
        let operation = await Run.glossctl("show", "level in error")
        #expect(operation.errors.contains("expected {a, b} to follow in"), "\(operation.errors)")
    }

    @Test func `a part of an event's key is answered with patterns for either part`() async {
        let run = await Run.glossctl("show", "--event", "paid")
        #expect(run.status == .wrongUsage)
        #expect(run.errors == "glossctl: --event paid: an event is CATEGORY/NAME: write '*/paid' or 'paid/*'\n")
    }

    @Test func `definitions are listed by the subsystem and category that their dictionary covers`() async throws {
        for arguments in [
            ["definitions"], ["definitions", "list"], ["search", "save"], ["definitions", "versions"],
            ["definitions", "show", "recipe_detail/tap_save_button"],
        ] {
            let daemon = try FakeDaemon { (try? Fixture.answer($0, [])) ?? .problem(500, "no answer") }
            defer { daemon.stop() }
            func run(_ filter: String...) async -> Run {
                await Run.glossctl(["--socket", daemon.socket] + arguments + filter)
            }
            #expect(await run("--subsystem", "com.example.shop", "--category", "ActivityLog").status == .done)
            let none = await run("--subsystem", "org.other", "--category", "ActivityLog")
            #expect(none.status == .no)
            #expect(
                none.errors == """
                    glossctl: no dictionary covers subsystem org.other, category ActivityLog: shop covers subsystem \
                    com.example.*, category ActivityLog; glossctl definitions --event 'ActivityLog/*' lists a category \
                    of events

                    """)
        }
    }

    @Test func `the members that are an event's key are called so, whatever the settings call them`() async throws {
        let text = String(decoding: try Fixture.bytes("event-10.json"), as: UTF8.self)
            .replacing("event_category", with: "screen").replacing("event_name", with: "action")
        let (run, _) = try await ask("event", "10") { _ in .document(Array(text.utf8)) }
        for (member, value) in [("screen", "recipe_detail"), ("action", "tap_save_button")] {
            let line = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("  \(member) ") })
            #expect(line.split(separator: " ").map(String.init) == [member, value, "key"])
        }
        #expect(run.output.contains(#/note +"two words" +not defined/#))
    }

    @Test func `an event's key is no parameter in a list, whatever the settings call it`() async throws {
        let line = try #require(
            try Fixture.lines("events.ndjson").first { String(decoding: $0, as: UTF8.self).contains("\"shop\"") })
        let renamed = String(decoding: line, as: UTF8.self)
            .replacing("event_category", with: "screen").replacing("event_name", with: "action")
        let definitions = String(decoding: try Fixture.bytes("definitions.json"), as: UTF8.self)
            .replacing("event_category", with: "screen").replacing("event_name", with: "action")
        let (run, _) = try await ask("show") { request in
            request.target.hasPrefix("/v1/events")
                ? .lines([Array(renamed.utf8)]) : .document(Array(definitions.utf8))
        }
        #expect(run.status == .done)
        #expect(!run.output.contains("screen=") && !run.output.contains("action="), "\(run.output)")
    }

    @Test func `an event that no dictionary covers says so, and what to look at`() async throws {
        let text = String(decoding: try Fixture.bytes("event-11.json"), as: UTF8.self)
            .replacing(#""dictionary":"shop","#, with: "").replacing(#""ActivityLog""#, with: #""Search""#)
        let (run, _) = try await ask("event", "11") { _ in .document(Array(text.utf8)) }
        #expect(
            run.output.contains(
                "No dictionary covers com.example.shop, category Search: see subsystem and category of the dictionaries"
            ))
        #expect(!run.output.contains("No such definition"))
    }
}
