import Model
import Testing

@testable import API

struct APIQueryTests {
    @Test func `the example of a parameter survives the way through a URL, and no other parameter says it`() throws {
        try expectExamples(EventQuery.self)
        try expectExamples(StatsQuery.self)
        try expectExamples(SQLQuery.self)
        try expectExamples(TableQuery.self)
        try expectExamples(DefinitionQuery.self)
        try expectExamples(ReportQuery.self)
        try expectExamples(ChecklistQuery.self)
        try expectExamples(NoticeQuery.self)
        try expectExamples(SilenceQuery.self)
        try expectExamples(TrialQuery.self)
        try expectExamples(GapQuery.self)
        try expectExamples(VerifyQuery.self)
    }

    private func expectExamples<Query: APIQuery>(_ type: Query.Type) throws {
        for field in Query.fields {
            let example =
                switch field.parameter().example {
                case .text(let text): text
                case .number(let number): String(number)
                default: ""
                }
            var (query, again) = (Query(), Query())
            try field.read(example, &query)
            for (_, value) in field.items(of: query) { try field.read(value, &again) }
            #expect(again == query, "\(type) \(field.name)")
            let given = Query.fields.filter { !$0.items(of: query).isEmpty }.map(\.name)
            #expect(given == (query == Query() ? [] : [field.name]), "\(type) \(field.name)")
        }
    }
}
