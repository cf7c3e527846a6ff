import Model
import Predicates
import Testing

@testable import API

struct EventQueryTests {
    @Test func `a query survives the way through a URL`() throws {
        var query = EventQuery()
        query.filter[.subsystem] = ["com.example.*", "a b&c=d"]
        query.filter[.category] = ["é%2F+"]
        query.filter[.event] = ["recipe/*"]
        query.filter[.level] = ["warning"]
        query.filter[.since] = ["1"]
        query.filter[.programUntil] = ["2026-11-21T02:00:00+01:00"]
        query.filter[.boot] = [SampleEvent.boot.description]
        query.filter[.unit] = ["shop@*.service", "a+b"]
        query.filter[.host] = ["web1", "é"]
        query.filter[.pid] = ["0", "7"]
        query.filter[.user] = ["42", ""]
        query.filter[.where] = ["device.os=17.1", "名前=a=b&c"]
        query.filter[.grep] = [#"\d+ "x""#]
        query.filter[.predicate] = ["a == \"é\" and\nb > 5"]
        query.limit = nil
        query.order = .oldest
        query.after = 3
        query.members = LineMembers(toRead: ["payload", "boot_id"])
        query.before = 9
        #expect(try parse(APIPath.events(query)) == query)
        #expect(APIPath.events(EventQuery()) == "/v1/events")
        var tail = EventQuery()
        tail.follow = true
        tail.limit = 0
        #expect(APIPath.events(tail) == "/v1/events?n=0&follow=true")
        #expect(try parse(APIPath.events(tail)) == tail)
        tail.late = true
        #expect(APIPath.events(tail) == "/v1/events?n=0&follow=true&late=true")
        #expect(try parse(APIPath.events(tail)) == tail)
        #expect(try EventQuery(urlQuery: "late=false") == EventQuery())
        #expect(try EventQuery(urlQuery: "members=\(LineMembers.names.joined(separator: ","))") == EventQuery())
        #expect(try EventQuery(urlQuery: "members=time,id").parameters.map(\.value) == ["type,id,time"])
    }

    @Test func `signs separate whatever mark follows them`() throws {
        #expect(
            try Self.predicate("where=who%3D%CC%81x&event=a/%CC%81x")
                == .all([
                    .text(.event, .among(["a/\u{301}x"])), .parameter(.init(names: ["who"]), .among(["\u{301}x"])),
                ]))
        #expect(EventKey(path: "a/\u{301}x") == EventKey(category: "a", name: "\u{301}x"))
    }

    @Test(arguments: [
        ("since=2026-11-21T01:00:00Z", 1_795_222_800_000_000), ("since=1795222800000000", 1_795_222_800_000_000),
        ("since=2026-11-21T02:00:00%2B01:00", 1_795_222_800_000_000),
        // As people type it: the + is a space by the time it is read.
        ("since=2026-11-21T02:00:00+01:00", 1_795_222_800_000_000), ("since=2026-11-21+01:00", 1_795_222_800_000_000),
        ("since=-1h", 1_795_222_800_000_000), ("since=0", 0),
    ])
    func `times are RFC 3339, microseconds, or as in journalctl`(text: String, microseconds: UInt64) throws {
        #expect(try Self.predicate(text) == .sent(from: microseconds))
    }

    @Test(arguments: [
        ("colour=red", "colour"), ("n=-1", "n"), ("n=many", "n"), ("n", "n"), ("n=1&n=2", "n"),
        ("level=1&level=2", "level"),
        ("order=up", "order"), ("after=-1", "after"), ("before=x", "before"),
        ("follow=1", "follow"), ("subsystem=%zz", "subsystem"),
        ("grep=%ff", "grep"), ("follow=true&before=1", "before"), ("follow=true&until=1", "until"),
        ("keep=newest", "keep"), ("follow=true&order=newest", "order"),
        ("follow=true&n=all", "n"), ("follow=true&late=1", "late"), ("late=true", "late"),
        ("members=", "members"), ("members=time,", "members"), ("members=time,tme", "members"),
        ("members=time&members=id", "members"),
    ])
    func `a wrong parameter is named`(text: String, parameter: String) {
        let error = #expect(throws: QueryError.self) { try EventQuery(urlQuery: text) }
        #expect(error?.parameter == parameter)
    }

    @Test(arguments: [
        ("level=loud", "level", true), ("since=soon", "since", true), ("until=99999999999999999999", "until", true),
        ("program_until=", "program_until", true), ("boot=1", "boot", false), ("resolution=good", "resolution", false),
        ("pid=shop", "pid", false), ("pid=-1", "pid", false), ("event=tap", "event", false), ("grep=", "grep", false),
        ("where=a", "where", false), ("where=a b=1", "where", false), ("user=42", "user", true),
        ("predicate=level", "predicate", true), ("predicate=nobody+%3D+1", "predicate", true),
    ])
    func `a wrong value is named when its meaning is found out`(text: String, parameter: String, isFree: Bool) {
        let error = #expect(throws: QueryError.self) { try Self.predicate(text) }
        #expect(error?.parameter == parameter && error?.isUnprocessable == isFree, "\(error?.description ?? "")")
    }

    @Test func `a filter is one predicate`() throws {
        let query = """
            subsystem=com.*&subsystem=org.a&subsystem=org.b&level=err&pid=1&pid=2&resolution=violating&resolution=plain\
            &grep=a.b&grep_=
            """.replacing("&grep_=", with: "")
        #expect(
            try Self.predicate(query)
                == .all([
                    .any([
                        .text(.sender(.subsystem), .among(["org.a", "org.b"])),
                        .text(.sender(.subsystem), .matches(.like, "com.*")),
                    ]),
                    .number(.level, 0...3), .any([.number(.pid, 1...1), .number(.pid, 2...2)]),
                    .text(.resolution, .among(["violating", "plain"])),
                    .message(.matches(.matches, "a.b", ignoresCase: true)),
                ]))
        #expect(try Self.predicate("") == .everything)
        #expect(try Self.predicate("since=5&until=4").bounds == nil)
        #expect(try Self.predicate("predicate=id>5+and+id<5").bounds == nil)
        #expect(try Self.predicate("predicate=id<3+or+id=7+and+level=err").bounds?.ids == 0...7)
        #expect(try Self.predicate("predicate=not+id<3").bounds?.ids == 0 ... .max)
    }

    /// What a filter means an hour after 2026-11-21 01:00 UTC.
    private static func predicate(_ query: String) throws -> Predicate {
        try EventQuery(urlQuery: query).filter.predicate(
            TimeExpression(now: 1_795_226_400_000_000, zone: .utc), PredicateBinder.Names())
    }

    @Test func `an empty query is the last hundred`() throws {
        for text in [nil, "", "&"] {
            #expect(try EventQuery(urlQuery: text) == EventQuery())
        }
    }

    @Test func `paths are percent-encoded where names need it`() {
        let path = APIPath.definition(dictionary: "my shop", key: EventKey(category: "a/b", name: "é"))
        #expect(path == "/v1/dictionaries/my%20shop/definitions/a%2Fb/%C3%A9")
        #expect(percentDecoded("a%2Fb%20%C3%A9+") == "a/b é+")
        #expect(percentDecoded("%") == nil)
        #expect(percentDecoded("%4") == nil)
    }

    @Test(arguments: [("n=0", "n"), ("after=x", "after"), ("before=1", "before"), ("n=1&n=1", "n")])
    func `a wrong parameter of gaps is named`(text: String, parameter: String) {
        let error = #expect(throws: QueryError.self) { try GapQuery(urlQuery: text) }
        #expect(error?.parameter == parameter)
    }

    private func parse(_ path: String) throws -> EventQuery {
        try EventQuery(urlQuery: path.split(separator: "?").dropFirst().first.map(String.init))
    }
}
