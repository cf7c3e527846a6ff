import Foundation
import Model
import Serve
import Store
import TestSupport
import Testing

@testable import Daemon

@Suite(.timeLimit(.minutes(1)))
struct DictionaryArchiveTests {
    private func write(_ text: String, _ scratch: ScratchStore) throws {
        try Data(text.utf8).write(to: scratch.folder.appending(path: "recipe.md"))
    }

    private func start(_ scratch: ScratchStore) async throws -> (held: EventDictionary, problem: String?) {
        var readings = [try #require(DictionaryReading(scratch.options))]
        let loaded = await scratch.archive.begin(with: &readings)
        #expect(readings[0].files.isEmpty, "they need not stay in memory")
        let first = try #require(loaded.first)
        return (first.dictionary, first.problem)
    }

    @Test func `a start with broken files goes on with the last good version`() async throws {
        try await ScratchStore.with { scratch in
            let good = "# recipe\n\n## show\n\nShown.\n\n- item: !bigint\n"
            try write(good, scratch)
            let version = try await start(scratch).held.version
            #expect(!version.isEmpty)
            try write(good + "- user-name: !string\n", scratch)
            let (held, problem) = try await start(scratch)
            #expect(held.version == version)
            #expect(held.definition(EventKey(category: "recipe", name: "show")) != nil)
            #expect(problem?.contains("recipe.md:8:") == true, "\(problem ?? "")")
        }
    }

    @Test func `where there never was a good version, nothing is defined, and what is private stays so`() async throws {
        try await ScratchStore.with { scratch in
            try write("# recipe\n\n## show\n\n- user-name: !string\n- mail: !string\n    - privacy: private\n", scratch)
            let (held, problem) = try await start(scratch)
            #expect(problem != nil)
            #expect(held.version.isEmpty)
            #expect(held.categories.isEmpty)
            try await scratch.save([#"{"mail":"secret"}"#], with: held)
            #expect(try await scratch.events().map(\.text) == [#"{"mail":"<private>"}"#])
        }
    }
}
