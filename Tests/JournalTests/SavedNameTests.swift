import Foundation
import Journal
import Model
import TestSupport
import Testing

struct SavedNameTests {
    @Test func `a folder has one name, however its path is written`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.resolvingSymlinksInPath().appending(path: "a/j").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let link = folder.appending(path: "link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            for text in [path, "\(path)/", "\(path)//", "\(path)/./", "/\(path)", "\(path)/../j", link, "\(link)/"] {
                #expect(JournalLocation.directory(text).savedName == "directory:\(path)", "\(text)")
            }
            // What is not there yet.
            for text in ["\(path)/later/x", "\(link)//later/./x/"] {
                #expect(JournalLocation.directory(text).savedName == "directory:\(path)/later/x", "\(text)")
            }
            #expect(JournalLocation.directory("/").savedName == "directory:/")
            #expect(JournalLocation.machine.savedName == "machine")
        }
    }
}
