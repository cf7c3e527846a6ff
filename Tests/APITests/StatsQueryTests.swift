import Model
import Predicates
import Testing

@testable import API

struct StatsQueryTests {
    @Test func `a query survives the way through a URL`() throws {
        var query = StatsQuery()
        query.filter[.subsystem] = ["com.example.*"]
        query.filter[.predicate] = ["level >= err and \"a b\" = 1"]
        query.keys = ["event", "payload.\"x y\"", "hour"]
        query.top = 200
        query.measure = "payload.took"
        query.distinct = "user"
        query.trend = 24
        query.histogram = 5
        query.zone = .local
        #expect(try parse(APIPath.stats(query)) == query)
        #expect(APIPath.stats(StatsQuery()) == "/v1/stats")
        #expect(try parse("/v1/stats") == StatsQuery())
    }

    @Test(arguments: [
        ("top=1001", "top"), ("top=-1", "top"), ("trend=201", "trend"), ("zone=mars", "zone"), ("of=a&of=b", "of"),
        ("by=a&by=b&by=c&by=d&by=e", "by"), ("of=a&top=201", "top"), ("n=5", "n"),
        ("level=1&level=2", "level"), ("order=newest", "order"), ("histogram=5&by=a&distinct=b", "histogram"),
    ])
    func `a wrong parameter is named`(text: String, parameter: String) {
        let error = #expect(throws: QueryError.self) { try StatsQuery(urlQuery: text) }
        #expect(error?.parameter == parameter)
    }

    private func parse(_ path: String) throws -> StatsQuery {
        try StatsQuery(urlQuery: path.split(separator: "?").dropFirst().first.map(String.init))
    }
}
