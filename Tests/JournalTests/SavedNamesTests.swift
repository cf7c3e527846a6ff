import Foundation
import Journal
import Model
import TestSupport
import Testing

struct SavedNamesTests {
    @Test func `a folder has one name, however its path is written`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.resolvingSymlinksInPath().appending(path: "a/j").path
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let link = folder.appending(path: "link").path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
            for text in [path, "\(path)/", "\(path)//", "\(path)/./", "/\(path)", "\(path)/../j", link, "\(link)/"] {
                #expect(JournalLocation.directory(text).savedNames.first == "directory:\(path)", "\(text)")
            }
            // What is not there yet.
            for text in ["\(path)/later/x", "\(link)//later/./x/"] {
                #expect(JournalLocation.directory(text).savedNames.first == "directory:\(path)/later/x", "\(text)")
            }
            #expect(JournalLocation.directory("/").savedNames.first == "directory:/")
            #expect(JournalLocation.machine.savedNames == ["machine"])
        }
    }

    @Test func `the name before a folder became a link, or while that led to nothing, is one of them`() async throws {
        try await withTemporaryFolder { folder in
            let root = folder.resolvingSymlinksInPath()
            func names(_ path: String) -> [String] {
                JournalLocation.directory(root.appending(path: path).path).savedNames
            }
            try FileManager.default.createDirectory(
                at: root.appending(path: "log/journal"), withIntermediateDirectories: true)
            let asFolder = names("log/journal")
            #expect(asFolder == ["directory:\(root.path)/log/journal"])
            try FileManager.default.moveItem(at: root.appending(path: "log"), to: root.appending(path: "disk"))
            try FileManager.default.createSymbolicLink(
                atPath: root.appending(path: "log").path, withDestinationPath: "disk")
            #expect(names("log/journal") == ["directory:\(root.path)/disk/journal"] + asFolder)

            // In another link, a link to what is not there yet.
            try FileManager.default.createSymbolicLink(
                atPath: root.appending(path: "disk/later").path, withDestinationPath: "../mount")
            let before = names("log/later")
            #expect(before.first == "directory:\(root.path)/disk/later")
            try FileManager.default.createDirectory(
                at: root.appending(path: "mount"), withIntermediateDirectories: true)
            #expect(names("log/later").prefix(2) == ["directory:\(root.path)/mount", before[0]])
        }
    }
}
