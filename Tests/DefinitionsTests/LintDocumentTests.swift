import Definitions
import Model
import Testing

struct LintDocumentTests {
    private static let options = DictionaryOptions(
        name: "shop", path: "definitions", types: ["RecipeID": .same(as: .bigint)])

    private func read(_ files: [DefinitionFile]) -> (dictionary: EventDictionary, problems: [DefinitionProblem]) {
        DictionaryParser.read(files, options: Self.options)
    }

    @Test func `lint md describes every rule, in the order of the code, with its severity and meaning`() throws {
        let sections = try LintDocument().sections
        #expect(sections.map(\.name) == LintRule.allCases.map(\.rawValue))
        for (section, rule) in zip(sections, LintRule.allCases) {
            let severity = rule.severity == .error ? "Error" : "Warning"
            #expect(section.text.hasPrefix(severity) && section.text.contains(rule.summary), "\(section)")
        }
    }

    @Test(arguments: try LintDocument().sections.filter { $0.examples.count == 2 })
    func `the example of a rule breaks that rule alone, and what is to be written instead breaks none`(
        _ section: LintDocument.Section
    ) {
        let problems = read(section.examples[0]).problems
        #expect(Set(problems.map(\.rule.rawValue)) == [section.name], "\(problems)")
        #expect(problems.allSatisfy { $0.line > 0 && $0.column > 0 })
        #expect(read(section.examples[1]).problems.isEmpty)
    }

    @Test(arguments: try LintDocument().sections.filter { $0.examples.count == 3 })
    func `the example of a rule about versions breaks that rule alone, and what is fine breaks none`(
        _ section: LintDocument.Section
    ) {
        let versions = section.examples.map(read)
        #expect(versions.flatMap(\.problems).isEmpty)
        let problems = Evolution.check(versions[1].dictionary, against: versions[0].dictionary)
        #expect(Set(problems.map(\.rule.rawValue)) == [section.name], "\(problems)")
        #expect(Evolution.check(versions[2].dictionary, against: versions[0].dictionary).isEmpty)
    }

    @Test func `the examples of definitions md break no rule`() throws {
        let examples = try LintDocument("definitions.md").sections.flatMap(\.examples)
        #expect(examples.count == 4)
        for example in examples { #expect(DictionaryParser.read(example, options: plain).problems.isEmpty) }
    }

    private let plain = DictionaryOptions(name: "shop", path: "definitions")

    @Test func `only rules about files themselves have no example of definitions`() throws {
        let names = try LintDocument().sections.filter { $0.examples.isEmpty }.map(\.name)
        #expect(names == LintRule.allCases.prefix(8).map(\.rawValue))
    }
}
