import Foundation
@testable import Generate
import Testing

/// What is generated for the sample definitions, as it stands in `Snapshots`. With `GLOSS_RECORD_SNAPSHOTS=1` in the
/// environment the files are written anew instead: look at what git says has changed.
struct SnapshotTests {
    private func expectSnapshot(_ files: [GeneratedFile], _ name: String) throws {
        let folder = Folders.tests.appending(path: "Snapshots/\(name)")
        if ProcessInfo.processInfo.environment["GLOSS_RECORD_SNAPSHOTS"] == "1" {
            try? FileManager.default.removeItem(at: folder)
            try files.map { GeneratedFile(path: "\($0.path).txt", text: $0.text) }.write(to: folder)
        }
        var paths: [String] = []
        for case let path as String in FileManager.default.enumerator(atPath: folder.path) ?? .init()
        where path.hasSuffix(".txt") {
            paths.append(String(path.dropLast(4)))
        }
        #expect(paths.sorted() == files.map(\.path))
        for file in files {
            let expected = try? String(contentsOf: folder.appending(path: "\(file.path).txt"), encoding: .utf8)
            #expect(file.text == expected, "differs from \(name)/\(file.path).txt")
        }
    }

    @Test(arguments: TemplateSet.BuiltIn.allCases)
    func `the sample definitions become these files`(language: TemplateSet.BuiltIn) throws {
        try expectSnapshot(Generator.files(language, for: SampleDictionary.sample.load()), language.rawValue)
    }

    @Test func `the example of templates makes Kotlin`() throws {
        try expectSnapshot(Generator(.kotlin()).files(for: SampleDictionary.sample.load()), "kotlin")
    }

    @Test(arguments: TemplateSet.BuiltIn.allCases)
    func `objects and arrays become these files`(language: TemplateSet.BuiltIn) throws {
        try expectSnapshot(
            Generator.files(language, for: SampleDictionary.nested.load()), "nested/\(language.rawValue)")
    }

    @Test func `the example of templates makes Kotlin of objects and arrays`() throws {
        try expectSnapshot(Generator(.kotlin()).files(for: SampleDictionary.nested.load()), "nested/kotlin")
    }
}
