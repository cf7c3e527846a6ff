import Model
import Definitions
import TestSupport
import Testing

@Test(arguments: try TableFile.all(in: "definitions"))
func `definition files give the dictionary or the problems that their table says`(_ table: TableFile) throws {
    let expected = try #require(table.parts.last?.expected)
    #expect(TableText.parse(table) == expected)
}
