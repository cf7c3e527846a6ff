import Definitions
import Foundation
import Model
import TestSupport
import Testing

/// The dictionary that has every construct of the format.
struct EverythingTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/dictionaries")

    static let options = DictionaryOptions(
        name: "everything", path: folder.appending(path: "everything").path,
        types: ["RecipeID": .same(as: .bigint), "SearchOrder": .values(["new", "popular", "人気順"])])

    @Test func `it gives what its snapshot says`() throws {
        let (dictionary, warnings) = try DictionaryFolder.load(Self.options)
        let expected = try String(contentsOf: Self.folder.appending(path: "everything.txt"), encoding: .utf8)
        #expect(TableText.text(of: dictionary, warnings: warnings) == expected)
    }

    @Test func `its files are written in every way a file may be`() throws {
        let files = try DictionaryFolder.files(in: Self.options.path, ignore: [])
        let bytes = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.bytes) })
        #expect(bytes["common.md"]?.starts(with: [0xEF, 0xBB, 0xBF]) == true)
        #expect(bytes["shopping_list.md"]?.contains(0x0D) == true)
        #expect(bytes["markup.md"]?.contains(0x09) == true)
    }

    @Test func `it has every built-in type, required and optional, and every annotation`() throws {
        let (dictionary, _) = try DictionaryFolder.load(Self.options)
        let parameters =
            dictionary.common + dictionary.categories.flatMap { $0.parameters + $0.definitions.flatMap(\.parameters) }
        for name in ParameterType.builtInNames {
            #expect(Set(parameters.filter { $0.type.name == name }.map(\.isOptional)) == [true, false], "\(name)")
        }
        #expect(Set(parameters.map(\.privacy)) == Set(Privacy.allCases))
        #expect(Set(parameters.compactMap(\.role)) == Set(ParameterRole.allCases))
        #expect(parameters.contains { $0.allowedValues != nil })
        #expect(parameters.contains { $0.isObsolete })
    }
}
