@testable import API
import Model
import TestSupport
import Testing

@testable import Control

@Suite struct RenderingTests {
    private static let tokyo = Zone.fixed(seconds: 9 * 3600)

    @Test(arguments: [
        ("events-pipe", Style(zone: tokyo)),
        ("events-80", Style(width: 80, zone: tokyo)),
        ("events-140", Style(width: 140, zone: tokyo)),
        ("events-140-full", Style(width: 140, isCut: false, zone: tokyo)),
        ("events-140-utc-all", Style(width: 140, zone: .utc, showsCommon: true)),
        ("events-120-colour", Style(width: 120, isColoured: true, zone: tokyo)),
    ])
    func `events are rendered for people`(name: String, style: Style) throws {
        let lines = try Fixture.streamLines()
        var renderer = EventRenderer(style: style)
        renderer.common = ["shop": CommonNames(parameters: ["user_id", "time"])]
        for line in lines { renderer.fit(line) }
        let text = lines.map { renderer.text($0) }.joined()
        if let width = style.width, style.isCut, !style.isColoured {
            for line in text.split(separator: "\n") { #expect(DisplayWidth.columns(line) <= width) }
        }
        try expectSnapshot(text, name)
    }

    @Test func `the program's own level and time are shown, and the text of a payload`() throws {
        guard case .event(var event) = try StreamLine.parse(Fixture.lines("events.ndjson")[0]) else { return }
        event.programLevel = .crit
        event.programTime = WireTime(microseconds: 1_795_255_200_500_000)
        event.text = "2026-11-21 fatal\u{1B}[2J\nsecond line"
        var renderer = EventRenderer(style: Style(zone: Self.tokyo))
        #expect(renderer.text(.event(event)).contains(" crit "))
        let detail = EventDetail(event: event, source: "match", journal: .gone)
        let text = EventDetailRenderer(style: Style(zone: Self.tokyo)).text(detail)
        #expect(text.contains("Program's level  crit\n"))
        #expect(text.contains("Program's time   2026-11-21 19:00:00.500000\n"))
        #expect(text.contains("Message\n  2026-11-21 fatal\\u001b[2J\n  second line\n"))
    }

    @Test(
        arguments: [60, 80, 100],
        [("com.example.", "Search", "recipe_detail", "tap"), ("株式会社", "検索と保存", "レシピの画面", "保存ボタン")])
    func `names stay whole on a narrow terminal, and can be given to the filters`(
        width: Int, names: (String, String, String, String)
    ) throws {
        func long(_ name: String, _ length: Int) -> String {
            String(String(repeating: name, count: length).prefix(length))
        }
        let fixture = String(decoding: try Fixture.lines("events.ndjson")[0], as: UTF8.self)
        for length in [20, 64] {
            let (subsystem, category) = (long(names.0, length), long(names.1, length))
            let (event, name) = (long(names.2, length), long(names.3, length))
            var line = try StreamLine.parse(Array(fixture.utf8))
            guard case .event(var parsed) = line else { return }
            let sender = SenderValues { [.subsystem: subsystem, .category: category][$0] }
            parsed.origin = EventLine.Origin(bootID: parsed.bootID, sender: sender)
            parsed.kind = EventKind(
                dictionary: nil, definitionsVersion: nil, key: EventKey(category: event, name: name))
            line = .event(parsed)
            var renderer = EventRenderer(style: Style(width: width, showsCommon: true))
            let text = renderer.text(line)
            #expect(text.contains("\(subsystem)/\(category)"))
            #expect(text.contains("\(event)/\(name)"))
            for line in text.split(separator: "\n") where !line.contains(subsystem) && !line.contains(name) {
                #expect(DisplayWidth.columns(line) <= width, "\(line)")
            }
            let detail = EventDetail(
                event: parsed, source: "", definition: nil, currentVersion: nil, links: [], journal: .gone)
            let all = EventDetailRenderer(style: Style(width: width)).text(detail)
            for name in [subsystem, category, "\(event)/\(name)"] { #expect(all.contains(name)) }
        }
    }

    @Test func `a message that is longer than a line is cut behind the usual indent`() throws {
        guard case .event(var event) = try StreamLine.parse(try Fixture.lines("events.ndjson")[0]) else { return }
        event.kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)
        event.content = .message(String(repeating: "長い", count: 100), raw: nil)
        var renderer = EventRenderer(style: Style(width: 80))
        let lines = renderer.text(.event(event)).split(separator: "\n").dropFirst()
        #expect(lines.count == 2)
        #expect(lines.last?.hasPrefix(String(repeating: " ", count: 26) + "長い") == true)
        #expect(lines.last?.hasSuffix("…") == true)
    }

    @Test func `an overlong name does not push the others out of their columns`() throws {
        guard case .event(let short) = try StreamLine.parse(try Fixture.lines("events.ndjson")[0]) else { return }
        var long = short
        let names = [SenderField.subsystem: "x", .category: "y"].mapValues { String(repeating: $0, count: 64) }
        long.origin = EventLine.Origin(bootID: short.bootID, sender: SenderValues { names[$0] })
        for width in [80, nil] {
            var renderer = EventRenderer(style: Style(width: width))
            let before = renderer.text(.event(short)).split(separator: "\n").last
            renderer.fit(.event(long))
            #expect(renderer.text(.event(short)).split(separator: "\n").last == before)
        }
    }

    @Test func `nothing from a payload reaches the terminal as a control character`() throws {
        var renderer = EventRenderer(style: Style(showsCommon: true))
        let text = try Fixture.streamLines().map { renderer.text($0) }.joined()
        #expect(terminalControls(in: text) == [])
        #expect([#"\u001b"#, #"\u0007"#, #"\u202e"#].allSatisfy(text.contains))
    }

    @Test(arguments: [10, 11, 14])
    func `one event is shown with all that is known of it`(id: Int) throws {
        let detail = try EventDetail.parse(try Fixture.bytes("event-\(id).json"))
        let text = EventDetailRenderer(style: Style(width: 100, zone: Self.tokyo)).text(detail)
        #expect(terminalControls(in: text) == [])
        try expectSnapshot(text, "event-\(id)")
    }

    @Test(arguments: ["running", "catching-up", "degraded"])
    func `the status is shown in blocks`(state: String) throws {
        let status = try Fixture.decoded(StatusReply.self, "status-\(state).json")
        try expectSnapshot(
            StatusRenderer(style: Style(width: 100, zone: Self.tokyo), now: Run.now).text(status), "status-\(state)")
    }

    @Test func `a sink's error that is listed as a problem is not repeated`() throws {
        var status = try Fixture.decoded(StatusReply.self, "status-degraded.json")
        let renderer = StatusRenderer(style: Style(width: 100, zone: Self.tokyo), now: Run.now)
        let error = "401: the token is not valid"
        let text = renderer.text(status)
        let listed = status.problems
        status.problems.removeAll { $0.what.contains(error) }
        #expect(listed.count == status.problems.count + 1)
        #expect(renderer.text(status).contains("last error: \(error), next attempt in 4 min 56 s"))
        #expect(text.ranges(of: error).count == 1)
        #expect(text.contains("\n            next attempt in 4 min 56 s\n"))
    }

    @Test func `the status has colours on a terminal`() throws {
        let status = try Fixture.decoded(StatusReply.self, "status-degraded.json")
        let style = Style(width: 100, isColoured: true, zone: Self.tokyo)
        try expectSnapshot(StatusRenderer(style: style, now: Run.now).text(status), "status-degraded-colour")
    }

    @Test func `a reload says what has changed`() {
        let reply = ReloadReply(
            changes: ["dictionary shop: 2 definitions added"],
            warnings: [
                "/etc/a.md:3:1: warning [empty-event]: no text and no list", "/etc/b\nReloaded.md:1: warning: x",
            ],
            dictionaries: [])
        let text = ReloadCommand.text(reply, Style())
        #expect(
            text == """
                Reloaded: 0 dictionaries, 0 definitions.
                  dictionary shop: 2 definitions added
                  /etc/a.md:3:1: warning [empty-event]: no text and no list
                  /etc/b\\nReloaded.md:1: warning: x

                """)
    }
}

extension EventRenderer {
    /// Returns a line of the stream as text, with its line breaks.
    fileprivate mutating func text(_ line: StreamLine) -> String {
        fit(line)
        var text = ""
        write(line, to: &text)
        return text
    }
}
