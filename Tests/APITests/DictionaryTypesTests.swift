import Foundation
import Model
import TestSupport
import Testing

@testable import API

struct DictionaryTypesTests {
    private let dictionary = EventDictionary(
        options: DictionaryOptions(
            name: "shop", path: "/d", layout: PayloadLayout(members: "cat", "name"),
            types: ["Order": .values(["new"]), "Id": .same(as: .bigint)]),
        version: "v", common: [], categories: [])

    private func problem(_ severity: DefinitionProblemReply.Severity, _ line: Int) -> DefinitionProblemReply {
        DefinitionProblemReply(
            file: "a.md", line: line, column: 1, severity: severity, rule: "no-description", message: "m")
    }

    @Test func `problems are bounded, errors are listed first, and all are counted`() {
        let problems = (1...150).map { problem(.warning, $0) } + [problem(.error, 200)]
        let status = DictionaryStatus(
            LoadedDictionary(
                dictionary: dictionary, loadedAtMicroseconds: 0, problem: "a.md:200", problems: problems))
        #expect(status.problems.count == DictionaryStatus.maximumProblems)
        #expect(status.problems.first?.line == 200)
        #expect(status.problems.dropFirst().first?.line == 1)
        #expect(status.problemsOmitted == 51)
        #expect(status.warnings == 150)
    }

    @Test func `a dictionary's keys and types are shown`() throws {
        let status = DictionaryStatus(
            LoadedDictionary(dictionary: dictionary, loadedAtMicroseconds: 0, problems: [problem(.warning, 3)]))
        #expect(status.key == ["cat", "name"])
        #expect(status.types == 2)
        #expect(status.problemsOmitted == 0)
        let data = try APICoding.encode(status)
        #expect(String(decoding: data, as: UTF8.self).contains(#""problems_omitted":0"#))
        #expect(try APICoding.decode(DictionaryStatus.self, from: data) == status)
    }
}
