import Foundation
import Linux
import TestSupport
import Testing

struct ProgramFolderTests {
    @Test func `the folder is that of the program`() throws {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        #expect(programFolder() == URL(filePath: program).deletingLastPathComponent().path)
    }

    @Test func `a program that was replaced still has a folder`() async throws {
        try await withTemporaryFolder { folder in
            let link = folder.appending(path: "exe").path
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: "/usr/libexec/gloss/glossd (deleted)")
            #expect(Linux.folder(ofLink: link) == "/usr/libexec/gloss")
            #expect(Linux.folder(ofLink: folder.appending(path: "none").path) == nil)
        }
    }
}
