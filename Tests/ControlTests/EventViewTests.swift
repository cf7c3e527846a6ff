import API
import ArgumentParser
import Foundation
import Model
import Synchronization
import TestSupport
import Testing

@testable import Control

/// What the text of events shows beside the events.
struct EventViewTests {
    /// The first event of the fixture with a payload, as another one.
    private static func line(
        _ id: Int, _ payload: String, name: String = "tap", isHighlighted: Bool = false
    ) throws -> [UInt8] {
        let fixture = try Fixture.lines("events.ndjson")
        let line = try #require(fixture.first { String(decoding: $0, as: UTF8.self).contains("\"payload\":{") })
        var object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        object["id"] = id
        object["event"] = ["category": "recipe", "name": name]
        object["payload"] = try JSONSerialization.jsonObject(with: Data(payload.utf8))
        object["violations"] = [Any]()
        if isHighlighted { object["highlighted"] = true }
        let text = String(
            decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]), as: UTF8.self)
        // The type comes first.
        return Array("{\"type\":\"event\",\(text.replacing("\"type\":\"event\",", with: "").dropFirst())".utf8)
    }

    private func show(
        _ lines: [[UInt8]], _ arguments: String..., width: Int? = nil
    ) async throws -> (run: Run, asked: [String]) {
        let keys = Array(
            try APICoding.encode(
                KeyCatalog(keys: [], parameters: [], users: ["who.user id", "user_id"], predicates: [])))
        let daemon = try FakeDaemon { request in
            if request.target.hasPrefix("/v1/keys") { return .document(keys) }
            return request.target.hasPrefix("/v1/events") ? .lines(lines) : .problem(404, "no dictionary")
        }
        defer { daemon.stop() }
        let run = await Run.glossctl(
            ["--socket", daemon.socket, "show", "--utc", "--no-pager"] + arguments, width: width)
        return (run, daemon.requests.map(\.target))
    }

    @Test func `events that a predicate matches are marked`() async throws {
        let lines = [try Self.line(1, "{}"), try Self.line(2, "{}", isHighlighted: true)]
        let (run, asked) = try await show(lines, "--highlight", "level >= err and time > 10:00")
        #expect(
            asked[0].hasPrefix("/v1/events?order=oldest&highlight=level%20%3E%3D%20err%20and%20time%20%3E%20%22%40"))
        let shown = run.output.split(separator: "\n")
        #expect(shown.count == 2 && shown[0].hasPrefix("  1 ") && shown[1].hasPrefix("> 2 "), "\(run.output)")
        let fields = try await show(lines, "--highlight", "x = 1", "-o", "csv", "--fields", "id,highlighted").run
        #expect(fields.output == "id,highlighted\n1,false\n2,true\n")
        let coloured = try await show(lines, "--highlight", "x = 1", "--color", "always").run
        #expect(coloured.output.contains("\u{1B}[7m"))
        #expect(!(try await show(lines, "--color", "always").run.output.hasPrefix(" ")))
    }

    @Test func `differences are those to the previous event of the same definition and user`() async throws {
        let lines = [
            try Self.line(1, #"{"user_id":1,"position":3,"sort":"new","old":true}"#),
            try Self.line(2, #"{"user_id":2,"position":9}"#),
            try Self.line(3, #"{"user_id":1,"position":4,"sort":"new","extra":"x y"}"#),
            try Self.line(4, #"{"user_id":1,"position":4}"#, name: "open"),
            try Self.line(5, #"{"user_id":1,"position":4,"sort":"new","extra":"x y"}"#),
            try Self.line(6, #"{"position":9,"who":{"user id":2}}"#),
        ]
        let (run, _) = try await show(lines, "--diff")
        let shown = run.output.split(separator: "\n").map { line in
            line.split(separator: " ").drop { !$0.hasPrefix("recipe/") }.dropFirst().sorted().joined(separator: " ")
        }
        #expect(
            shown == [
                #"old=true position=3 sort=new user_id=1"#, "position=9 user_id=2",
                #"+extra="x -old 4 position=3 y" →"#, "position=4 user_id=1", "",
                #"+who={"user -user_id id":2}"#,
            ], "\(run.output)")
        #expect(try await show(lines, "--diff", "-o", "ndjson").run.errors.contains("--diff goes with"))
    }

    @Test func `large values that differ are cut, and different all the same`() throws {
        var differences = EventDifferences(users: [])
        func changes(_ value: String) throws -> [EventDifferences.Change]? {
            let event = try EventLine.parse(try Self.line(1, "{}"))
            let parameters = try #require(ParameterText.list(Array("{\"a\":\"\(value)\"}".utf8)))
            return differences.changes(to: event, parameters)
        }
        let long = String(repeating: "x", count: 5000)
        #expect(try changes(long + "1") == nil)
        guard case .changed(let old, _)? = try changes(long + "2")?.first else { return #expect(Bool(false)) }
        #expect(old == String(repeating: "x", count: 23) + "…")
        #expect(try changes(long + "2") == [])
        // The same text for people, and not the same bytes.
        #expect(try changes("\u{304C}")?.count == 1 && changes("\u{304B}\u{3099}")?.count == 1)
    }

    @Test(arguments: [nil, 60])
    func `full shows all of each event`(width: Int?) async throws {
        let lines = [
            try Self.line(1, #"{"user_id":1,"list":[1,2]}"#), try Self.line(2, "{}", isHighlighted: true),
        ]
        let (run, _) = try await show(lines, "-o", "full", "--highlight", "x = 1", width: width)
        try expectSnapshot(run.output, "events-full\(width.map { "-\($0)" } ?? "")")
    }

    @Test(arguments: [
        "-o csv --highlight level=err", "-o ndjson --fields id,time --highlight level=err",
        "--template {time} --highlight level=err", "-o cat --highlight level=err",
    ])
    func `marks that have no place are refused`(arguments: String) async throws {
        let run = await Run.glossctl(
            ["--socket", "/nowhere", "show"] + arguments.split(separator: " ").map(String.init))
        #expect(run.status == .wrongUsage && run.errors.contains("--highlight"), "\(run.errors)")
    }

    /// Many lines come at once and are rendered several at a time; a few come one by one.
    @Test(arguments: [
        "-o short --delta", "-o short --diff", "-o short-iso", "-o full", "-o cat", "-o csv", "-o json", "-o ndjson",
        "-o json --fields id,time", "--template {id}:{payload.user_id}",
    ])
    func `events that come together are shown as if they came one by one`(arguments: String) async throws {
        let (day, start) = (86_400_000_000, 1_795_255_200_000_000)
        var lines: [[UInt8]] = []
        for id in 100..<400 {
            // The day changes near the middle, where a part ends if there are two processors.
            let time = start + id * 1_234_567 + (id >= 247 ? day : 0)
            let line = try Self.line(id, #"{"user_id":\#(id % 7),"n":\#(id / 100),"text":"レシピ \#(id % 5)"}"#)
            lines.append(
                Array(
                    String(decoding: line, as: UTF8.self)
                        .replacing(/"time":"[^"]*"/, with: #""time":"\#(WireTime(microseconds: UInt64(time)))""#).utf8))
        }
        lines.insert(Array(#"{"type":"late","count":3}"#.utf8), at: 150)
        lines.insert(
            try #require(Fixture.lines("events.ndjson").first { $0.starts(with: #"{"type":"gap""#.utf8) }), at: 152)
        lines.insert(Array(#"{"type":"event","id":"none"}"#.utf8), at: 77)
        for width in [nil, 90] {
            let together = try await printed([lines], arguments, width: width)
            let each = try await printed(lines.map { [$0] }, arguments, width: width)
            #expect(together.output.split(separator: "\n").count >= 300)
            #expect(together.output == each.output)
            #expect(together.errors == each.errors)
            // -o short and -o json have all lines in the output.
            #expect(together.errors.contains("older than this tail") != arguments.contains(/short|json$/))
        }
    }

    @Test func `the columns of events that come together have room for all`() async throws {
        let lines = try (1...100).map { try Self.line($0, #"{"n":1}"#, name: $0 == 3 ? "tap_on_something" : "tap") }
        let output = try await printed([lines], "-o short", width: nil).output
        #expect(
            Set(output.split(separator: "\n").map { $0.range(of: " n=1")?.lowerBound.utf16Offset(in: $0) }).count == 1)
    }

    @Test func `what is written elsewhere shows its progress on the terminal`() async throws {
        let collected = Collected()
        let console = Console(
            environment: [:], output: ByteSink { _ in }, errors: ByteSink { collected.add($0) }, isOutputFile: { true },
            errorWidth: { 80 },
            now: { Run.now })
        var progress = StreamProgress(console, after: .zero, every: .zero)
        progress.note(lines: 2, bytes: 4)
        progress.note(lines: 1200, bytes: 3 << 20)
        progress.clear()
        #expect(collected.text.contains("\r2 lines, 4 B, "))
        #expect(collected.text.contains("\r1,202 lines, 3 MiB, "), "\(collected.text)")
        #expect(collected.text.hasSuffix("\r\u{1B}[K"))
        var quick = StreamProgress(console, after: .seconds(100))
        quick.note(lines: 1, bytes: 2)
        quick.clear()
        #expect(collected.text.hasSuffix("\r\u{1B}[K") && !collected.text.contains("\r1 lines"))
    }

    /// - Parameter pieces: the lines that come together.
    private func printed(
        _ pieces: [[[UInt8]]], _ arguments: String, width: Int?
    ) async throws -> (output: String, errors: String) {
        let keys = Array(
            try APICoding.encode(KeyCatalog(keys: [], parameters: [], users: ["user_id"], predicates: [])))
        let daemon = try FakeDaemon { $0.target.hasPrefix("/v1/keys") ? .document(keys) : .problem(404, "none") }
        defer { daemon.stop() }
        let (output, errors) = (Collected(), Collected())
        let console = Console(
            environment: [:], output: ByteSink { output.add($0) }, errors: ByteSink { errors.add($0) },
            terminalWidth: { width }, now: { Run.now })
        let command = try ShowCommand.parse(arguments.split(separator: " ").map(String.init))
        var printer = try await command.view.printer(
            command.output, command.view.style(command.text, console), ControlClient(socket: daemon.socket), console)
        for lines in pieces { try await printer.print(lines) }
        try printer.finish()
        return (output.text, errors.text)
    }

    private final class Collected: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        func add(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        var text: String { String(decoding: bytes.withLock(\.self), as: UTF8.self) }
    }
}
