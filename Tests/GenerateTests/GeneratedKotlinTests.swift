import Foundation
@testable import Generate
import Model
import Resolve
import TestSupport
import Testing

/// Not required, not even in CI: the compiler is 350 MB, and the templates an example.
@Suite(.serialized, .enabled(if: Program.kotlin.isInstalled, "kotlinc is missing: apt-get install kotlin"))
struct GeneratedKotlinTests {
    /// Compiles what is generated together with a program that sends every event.
    private func withProgram(_ dictionary: EventDictionary, _ body: (URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let naming = Folders.kotlin.appending(path: "language.mustache")
            var files = try Generator(.kotlin()).files(for: dictionary)
            files += try Generator.driver("kotlin", for: dictionary, naming: naming)
            let sample = Folders.fixtures.appending(path: "drivers/Sample.kt")
            files.append(GeneratedFile(path: "Sample.kt", text: try String(contentsOf: sample, encoding: .utf8)))
            try files.write(to: folder)
            let compiled = try Program.run("sh", "-c", "exec kotlinc -Werror -d program *.kt", in: folder)
            try #require(compiled.status == 0, "\(compiled.errors)")
            try body(folder)
        }
    }

    @Test(arguments: SampleDictionary.allCases)
    func `generated Kotlin compiles without a warning, and everything that it encodes is resolved`(
        sample: SampleDictionary
    ) async throws {
        let dictionary = try sample.load()
        try await withProgram(dictionary) { folder in
            let usable = dictionary.categories.flatMap(\.definitions).filter { !$0.isObsolete }
            let lines = try Program.run("kotlin", "-cp", "program", "events.SampleKt", in: folder).lines
            expectResolved(lines, of: dictionary)

            let long = try Program.run("kotlin", "-cp", "program", "events.SampleKt", "long", in: folder).lines
            #expect(long.count == usable.count)
            for (line, definition) in zip(long, usable) {
                let error = /(?<event>.+?\/.+?): [\w.]+: has (?<bytes>\d+) bytes, at most (?<limit>\d+) are allowed/
                let found = try #require(try error.wholeMatch(in: line), "\(line)")
                #expect(found.event == "\(definition.key.category)/\(definition.key.name)")
                #expect(Int(found.bytes).map { $0 - 1 } == Int(found.limit))
            }
        }
    }
}
