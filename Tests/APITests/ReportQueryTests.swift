import Model
import Predicates
import Testing

@testable import API

struct ReportQueryTests {
    @Test func `a report takes the filters of events`() throws {
        var query = ReportQuery()
        query.filter[.subsystem] = ["com.example.*"]
        query.filter[.event] = ["recipe/*"]
        query.filter[.level] = ["warning"]
        query.filter[.since] = ["5"]
        query.filter[.resolution] = ["resolved"]
        query.filter[.where] = ["a=b=c"]
        query.filter[.grep] = ["x+"]
        query.filter[.user] = ["42", "7"]
        query.filter[.device] = ["d"]
        query.limit = 3
        let path = APIPath.report(.obsolete, query)
        #expect(path.hasPrefix("/v1/reports/obsolete?"))
        let text = path.split(separator: "?").last.map(String.init)
        #expect(try ReportQuery(urlQuery: text, report: .obsolete) == query)
        #expect(try ReportQuery(urlQuery: nil, report: .unseen) == ReportQuery())
    }

    @Test(arguments: [
        ("after=1", "n says"), ("before=1", "n says"), ("order=oldest", "n says"),
        ("follow=true", "n says"), ("n=all", "must be a number"),
        ("sinse=1", "does not exist"), ("since=1&since=2", "only once"),
    ])
    func `what a report does not take is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: QueryError.self) { try ReportQuery(urlQuery: text, report: .unseen) }
        #expect(error?.parameter == text.split(separator: "=").first.map(String.init))
        #expect(error?.description.contains(reason) == true)
    }

    @Test func `a report on one resolution takes no others`() {
        for report in [ReportKind.undefined, .violations, .unkeyed, .malformed] {
            let error = #expect(throws: QueryError.self) {
                try ReportQuery(urlQuery: "resolution=resolved", report: report)
            }
            #expect(error?.description.contains("all of its events have the same one") == true)
        }
    }

    @Test func `a report on events without a key takes no event`() {
        for report in [ReportKind.unkeyed, .malformed] {
            let error = #expect(throws: QueryError.self) { try ReportQuery(urlQuery: "event=a/b", report: report) }
            #expect(error?.description.contains("its events have no key") == true)
        }
    }
}
