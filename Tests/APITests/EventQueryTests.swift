import Model
import Testing

@testable import API

struct EventQueryTests {
    @Test func `a query survives the way through a URL`() throws {
        var query = EventQuery()
        query.filter.subsystems = ["com.example.*", "a b&c=d"]
        query.filter.categories = ["é%2F+"]
        query.filter.events = ["recipe/*"]
        query.filter.level = .warning
        query.filter.sinceMicroseconds = 1
        query.filter.untilMicroseconds = .max
        query.filter.programSinceMicroseconds = 1
        query.filter.programUntilMicroseconds = 2
        query.filter.boots = [SampleEvent.boot]
        query.filter.units = ["shop@*.service", "a+b"]
        query.filter.identifiers = ["sh?p"]
        query.filter.hosts = ["web1", "é"]
        query.filter.pids = [0, .max]
        query.filter.resolutions = [.violating, .undefined]
        query.filter.parameters = [
            ParameterCondition(names: ["device.os"], values: ["17.1"]),
            ParameterCondition(names: ["名前"], values: ["a=b&c"]),
        ]
        query.filter.grep = #"\d+ "x""#
        query.limit = nil
        query.order = .oldest
        query.after = 3
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
    }

    @Test func `signs separate whatever mark follows them`() throws {
        let query = try EventQuery(urlQuery: "where=who%3D%CC%81x&event=a/%CC%81x")
        #expect(query.filter.parameters == [ParameterCondition(names: ["who"], values: ["\u{301}x"])])
        #expect(query.filter.events == ["a/\u{301}x"])
        #expect(EventKey(path: "a/\u{301}x") == EventKey(category: "a", name: "\u{301}x"))
    }

    @Test(arguments: [
        ("since=2026-11-21T01:00:00Z", 1_795_222_800_000_000), ("since=1795222800000000", 1_795_222_800_000_000),
        ("since=2026-11-21T02:00:00%2B01:00", 1_795_222_800_000_000),
        // As people type it: the + is a space by the time it is read.
        ("since=2026-11-21T02:00:00+01:00", 1_795_222_800_000_000),
    ])
    func `times are RFC 3339 or microseconds`(text: String, microseconds: UInt64) throws {
        #expect(try EventQuery(urlQuery: text).filter.sinceMicroseconds == microseconds)
    }

    @Test(arguments: [
        ("colour=red", "colour"), ("n=-1", "n"), ("n=many", "n"), ("n", "n"), ("n=1&n=2", "n"), ("level=loud", "level"),
        ("since=yesterday", "since"), ("until=99999999999999999999", "until"),
        ("program_since=soon", "program_since"), ("program_until=", "program_until"), ("boot=1", "boot"),
        ("resolution=good", "resolution"), ("pid=shop", "pid"), ("pid=-1", "pid"), ("pid=2147483648", "pid"),
        ("order=up", "order"), ("after=-1", "after"), ("before=x", "before"),
        ("follow=1", "follow"), ("event=tap", "event"), ("grep=", "grep"), ("subsystem=%zz", "subsystem"),
        ("grep=%ff", "grep"), ("follow=true&before=1", "before"), ("follow=true&until=1", "until"),
        ("keep=newest", "keep"), ("follow=true&order=newest", "order"),
        ("follow=true&n=all", "n"), ("follow=true&late=1", "late"), ("late=true", "late"),
    ])
    func `a wrong parameter is named`(text: String, parameter: String) {
        let error = #expect(throws: QueryError.self) { try EventQuery(urlQuery: text) }
        #expect(error?.parameter == parameter)
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
