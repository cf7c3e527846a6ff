import Definitions
import Dictionaries
import Foundation
import Model
import TestSupport
import Testing

struct DictionaryReadingTests {
    @Test func `a file that cannot be read has its place among those with errors`() async throws {
        try await withTemporaryFolder { folder in
            try FileManager.default.createDirectory(
                at: folder.appending(path: "a.md"), withIntermediateDirectories: false)
            let errors = String(repeating: "## show\n\nShown.\n\n- item: !nothing\n\n", count: 30)
            try Data(errors.utf8).write(to: folder.appending(path: "b.md"))
            let reading = DictionaryReading(DictionaryOptions(name: "shop", path: folder.path))
            #expect(reading.problems.count > 30)
            #expect(reading.problems.map(\.file) == reading.problems.map(\.file).sorted())
            let shown = try #require(reading.problem)
            #expect(shown.hasPrefix("\(folder.path)/a.md:1:1: error [unreadable-file]: is not a regular file\n"))
        }
    }
}
