import Foundation
@testable import Generate
import Model
import Resolve
import TestSupport
import Testing

@Suite(.serialized) struct GeneratedSwiftTests {
    /// Compiles what is generated, as strictly as it goes, together with a program that sends every event.
    private func withProgram(_ dictionary: EventDictionary, _ body: (URL) throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            var files = try Generator.files(.swift, for: dictionary) + Generator.driver("swift", for: dictionary)
            let sample = try String(
                contentsOf: Folders.fixtures.appending(path: "drivers/Sample.swift"), encoding: .utf8)
            files.append(GeneratedFile(path: "Sample.swift", text: sample))
            try files.write(to: folder)
            let compiled = try Program.run(
                "sh", "-c", "TMPDIR=$PWD swiftc -swift-version 6 -warnings-as-errors -Onone -o program *.swift",
                in: folder)
            try #require(compiled.status == 0, "\(compiled.output)\(compiled.errors)")
            try body(folder)
        }
    }

    @Test(arguments: SampleDictionary.allCases)
    func `generated Swift compiles without a warning, and everything that it encodes is resolved`(
        sample: SampleDictionary
    ) async throws {
        let dictionary = try sample.load()
        try await withProgram(dictionary) { folder in
            let lines = try Program.run("./program", in: folder).lines
            expectResolved(lines, of: dictionary)
            // The first of the five payloads of an event has nothing that is optional.
            #expect(lines.prefix(lines.count / 5).allSatisfy { !$0.contains(":null") })
            let broken = try Program.run("./program", "break", in: folder).lines
            try expectErrors(broken)
        }
    }

    /// Each parameter is broken in turn, and only its own event fails, naming it.
    private func expectErrors(_ lines: [String]) throws {
        var errors: [String] = []
        #expect(!lines.isEmpty)
        for line in lines {
            guard line.hasSuffix(".") && !line.contains(": ") else {
                errors.append(line)
                continue
            }
            let parts = line.dropLast().split(separator: "/")
            let start = "\(line.dropLast()): \(parts[0])/\(parts[1]): \(parts[2]): "
            #expect(errors.count == 1 && errors[0].hasPrefix(start), "\(line) \(errors)")
            errors = []
        }
    }

    @Test func `an obsolete event does not compile, and says why`() async throws {
        try await withTemporaryFolder { folder in
            let files = try Generator.files(.swift, for: try SampleDictionary.sample.load())
            let use = GeneratedFile(
                path: "main.swift", text: "let event = RecipeDetailEvent.tapLikeButton(recipeID: 1)\n")
            try (files + [use]).write(to: folder)
            let compiled = try Program.run(
                "sh", "-c", "TMPDIR=$PWD swiftc -swift-version 6 -typecheck *.swift", in: folder)
            #expect(compiled.status != 0)
            let message = "'tapLikeButton(recipeID:)' is unavailable: Likes were replaced by saves in version 5."
            #expect((compiled.output + compiled.errors).contains(message))
        }
    }
}
