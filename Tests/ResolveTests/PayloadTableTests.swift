import Definitions
import Model
import Resolve
import TestSupport
import Testing

@Test(arguments: try TableFile.all(in: "payloads"))
func `payloads resolve to what their table says`(_ table: TableFile) throws {
    let cases = table.parts.filter { $0.name.hasPrefix("payload") }
    try #require(!cases.isEmpty)
    var payloads = PayloadTable(table)
    for part in cases {
        #expect(payloads.resolve(part) == part.expected, "\(part.text)")
    }
}

@Test(arguments: try TableFile.all(in: "payloads"))
func `the definitions of a payload table are in order`(_ table: TableFile) throws {
    guard !table.definitionFiles.isEmpty else { return }
    let parsed = try DictionaryParser.parse(table.definitionFiles, options: table.options)
    // What is only missing for people is no matter here, and repeated parameters have a table of their own.
    let expected: Set<LintRule> = [
        .undescribedEvent, .undefinedType, .duplicateParameter, .shadowedParameter, .typeConflict,
    ]
    #expect(expected.isSuperset(of: parsed.warnings.map(\.rule)))
}
