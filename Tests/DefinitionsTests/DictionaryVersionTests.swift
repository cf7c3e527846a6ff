import Model
import Definitions
import Testing

struct DictionaryVersionTests {
    private let one = DefinitionFile(name: "a.md", bytes: Array("## x\n\nText.\n".utf8))
    private let other = DefinitionFile(name: "b.md", bytes: Array("## y\n\nText.\n".utf8))

    private func version(
        _ files: [DefinitionFile], _ change: (inout DictionaryOptions) -> Void = { _ in }
    ) throws -> String {
        var options = DictionaryOptions(name: "shop", path: "definitions")
        change(&options)
        return try DictionaryParser.parse(files, options: options).dictionary.version
    }

    @Test func `the version is 16 hexadecimal digits and does not depend on the order of files`() throws {
        let version = try version([one, other])
        #expect(version.count == 16 && version.allSatisfy(\.isHexDigit))
        #expect(try self.version([other, one]) == version)
    }

    @Test func `names and contents change the version`() throws {
        var versions: Set<String> = [try version([one, other]), try version([one])]
        versions.insert(try version([DefinitionFile(name: "c.md", bytes: one.bytes), other]))
        versions.insert(try version([DefinitionFile(name: "a.md", bytes: one.bytes + [UInt8(ascii: "\n")]), other]))
        #expect(versions.count == 4)
    }

    @Test func `names that are still protected, and definitions with errors, change the version`() throws {
        let options = DictionaryOptions(name: "shop", path: "definitions")
        let dictionary = try DictionaryParser.parse([one], options: options).dictionary
        var (inheriting, faulty) = (dictionary, dictionary)
        inheriting.inherited = ["mail": .private]
        faulty.broken = [EventKey(category: "a", name: "y"): "a.md:7"]
        #expect(Set([dictionary, inheriting, faulty].map(\.version)).count == 3)
        let version = faulty.version
        faulty.broken = [EventKey(category: "a", name: "y"): "a.md:8"]
        #expect(faulty.version == version, "an error that moves is no other version")
        inheriting.inherited = [:]
        faulty.broken = [:]
        #expect(inheriting.version == dictionary.version && faulty.version == dictionary.version)
    }

    @Test func `options that bear on checks change the version, the others do not`() throws {
        let version = try version([one])
        #expect(try self.version([one]) { $0.layout.name = .member(MemberPath("event")) } != version)
        #expect(try self.version([one]) { $0.layout.parametersAt = MemberPath("a") } != version)
        #expect(try self.version([one]) { $0.layoutOfSource = ["match": .usual] } != version)
        #expect(try self.version([one]) { $0.types = ["A": .values(["b"])] } != version)
        #expect(
            try self.version([one]) { $0.types = ["A": .values(["b", "c"])] }
                != self.version([one]) { $0.types = ["A": .values(["bc"])] })
        #expect(
            try self.version([one]) {
                $0.path = "elsewhere"
                $0.subsystem = Glob("x")
            } == version)
    }
}
