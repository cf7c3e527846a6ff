import Foundation
import Glibc
@testable import Journal
import Linux
import Model
import TestSupport
import Testing

@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct JournalHealthTests {
    @Test func `the machine's id is known as soon as it has one, and stays known`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.appending(path: "machine-id").path
            try Data().write(to: folder.appending(path: "machine-id"))
            let folders = JournalFolders(.machine, machineIDPath: path)
            #expect(folders.expected == ["/run/log/journal/*", "/var/log/journal/*"])
            let id = "0123456789abcdef0123456789abcdef"
            try Data("\(id)\n".utf8).write(to: folder.appending(path: "machine-id"))
            #expect(folders.expected == ["/run/log/journal/\(id)", "/var/log/journal/\(id)"])
            try FileManager.default.removeItem(atPath: path)
            #expect(folders.expected.last == "/var/log/journal/\(id)", "it cannot be read for a moment")
        }
    }

    @Test func `a folder that the settings name is there, also if journald has those of machines in it`() async throws {
        try await withTemporaryFolder { folder in
            #expect(JournalFolders(.directory(folder.path), roots: [folder.path]).look().isThere)
            #expect(!JournalFolders(.machine, roots: [folder.path]).look().isThere)
        }
    }

    @Test func `what cannot be read is named with its reason, and the rest is read`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt"), fixture("next-boot.txt")]) { folder in
            let path = folder.path(percentEncoded: false)
            try Data().write(to: folder.appending(path: "empty.journal"))
            try Data(repeating: 0x47, count: 1000).write(to: folder.appending(path: "garbage.journal"))
            try Data("LPKSHHRH".utf8).write(to: folder.appending(path: "short.journal~"))
            try FileManager.default.createDirectory(
                at: folder.appending(path: "folder.journal"), withIntermediateDirectories: false)
            mkfifo(path + "/pipe.journal", 0o600)
            let unreadable = "\(path)/x".utf8CString.dropLast() + [CChar(bitPattern: 0xFF)] + ".journal".utf8CString
            close(open(Array(unreadable), O_CREAT | O_WRONLY, 0o600))
            try Data("not a journal, and not called one".utf8).write(to: folder.appending(path: "README"))

            let session = JournalSession(folder)
            let batch = session.readAll()
            #expect(batch.entriesRead == 10)
            // journald makes files empty first: those that stay so are named.
            #expect(session.condition.health.problems.count == 4)
            try await Task.sleep(for: JournalSession.checkInterval)
            _ = session.readAll()
            let health = session.condition.health
            #expect(health.readableFiles == 2)
            let expected = [
                "empty.journal": "it is too short for a journal file",
                "folder.journal": "it is a folder, not a journal file",
                "garbage.journal": "it is damaged, or not a journal file",
                "pipe.journal": "it is a pipe, not a journal file",
                "short.journal~": "it is too short for a journal file",
                "x\u{FFFD}.journal": "its name is not UTF-8: rename it",
            ]
            let found = Dictionary(
                uniqueKeysWithValues: health.problems.map { (URL(filePath: $0.path).lastPathComponent, $0.reason) })
            #expect(found == expected)
        }
    }

    @Test func `a folder that is not there is a problem, and is read once it is`() async throws {
        try await withTemporaryFolder { parent in
            let folder = parent.appending(path: "later")
            let session = JournalSession(folder)
            #expect(session.readAll().entriesRead == 0)
            #expect(session.condition.health.problems.map(\.path) == [folder.path(percentEncoded: false)])
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            // Other logs do not count.
            try Data("x".utf8).write(to: folder.appending(path: "syslog"))
            session.checkSoon()
            session.look()
            #expect(session.condition.health.problems.map(\.path) == [folder.path(percentEncoded: false)])
            #expect(session.condition.health.problems.map(\.reason) == ["there are no journal files in it"])
            try JournalFixture.write(try fixture("shop.txt"), to: folder.appending(path: "1.journal"))
            try await Task.sleep(for: JournalSession.checkInterval)
            #expect(session.read(.none).entriesRead == 8)
            #expect(session.condition.health.problems.isEmpty)
        }
    }

    @Test func `folders with journals that are not read are named`() async throws {
        try await withTemporaryFolder { folder in
            let id = String(repeating: "0", count: 32)
            for name in ["remote", "\(id).shop", id, "empty"] {
                let folder = folder.appending(path: name)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
                if name != "empty" {
                    try JournalFixture.write(try fixture("shop.txt"), to: folder.appending(path: "1.journal"))
                }
            }
            let session = JournalSession(folder)
            #expect(session.readAll().entriesRead == 8)
            let path = folder.path(percentEncoded: false)
            #expect(session.condition.health.uncovered == ["\(path)/\(id).shop", "\(path)/remote"])
            #expect(session.condition.health.problems.isEmpty)
        }
    }

    @Test func `a namespace that does not exist is a problem`() throws {
        let session = JournalSession(.namespace("gloss-test-nobody-has-this"))
        #expect(session.readAll().entriesRead == 0)
        let problem = try #require(session.condition.health.problems.first)
        #expect(problem.path.contains(".gloss-test-nobody-has-this"))
    }

    @Test func `once the kernel has an instance of inotify again, folders are watched again`() async throws {
        try await withTemporaryFolder { folder in
            var isExhausted = true
            var notices = FolderNotices(isOn: true) { () throws(Inotify.Failure) in
                if isExhausted { throw Inotify.Failure(errno: EMFILE) }
                return try Inotify(.writtenFiles)
            }
            notices.watch([folder.path])
            #expect(notices.shortage?.contains("no inotify instance left") == true)
            isExhausted = false
            notices.watch([folder.path])
            #expect(notices.shortage == nil)
            try Data().write(to: folder.appending(path: "1.journal"))
            let hasNameChange = notices.takeNameChange()
            #expect(hasNameChange)
        }
    }

    @Test func `without inotify new files are found by looking`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let session = JournalSession(folder, isWatched: false)
            #expect(session.readAll().entriesRead == 8)
            #expect(session.condition.health.polling != nil)
            try JournalFixture.write(try fixture("next-boot.txt"), to: folder.appending(path: "2.journal"))
            try await Task.sleep(for: JournalSession.checkInterval)
            let batch = session.read(.none)
            #expect(batch.messages == ["second boot, first", "second boot, second"])
            #expect(batch.gaps.isEmpty && batch.holes.isEmpty)
        }
    }
}
