import Foundation
import Glibc
import Linux
import Model
import Synchronization
import TestSupport
import Testing

@testable import Dictionaries

/// On real folders. Whatever happens, `next` must name the folder; how soon is not asked.
@Suite(.timeLimit(.minutes(1)))
struct DictionaryWatcherTests {
    /// A folder `definitions` in a folder of its own, and a watcher that has had its first look at it.
    private func withWatched(
        _ make: (URL) throws -> Void = {
            try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: true)
        },
        _ body: (_ folder: URL, _ next: @escaping @Sendable () async -> Set<ExactString>?) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { parent in
            let folder = parent.appending(path: "definitions")
            try make(folder)
            let watcher = DictionaryWatcher(folders: [folder.path])
            defer { watcher.stop() }
            #expect(await watcher.next() == [ExactString(folder.path)], "a folder that is new to it is read again")
            try await body(folder) { await watcher.next() }
        }
    }

    private func write(_ text: String, _ file: URL, atomically: Bool = false) throws {
        try Data(text.utf8).write(to: file, options: atomically ? .atomic : [])
    }

    @Test func `a file that is written, replaced or removed is noticed`() async throws {
        try await withWatched { folder, next in
            let file = folder.appending(path: "a.md")
            try write("## one\n", file)
            #expect(await next() == [ExactString(folder.path)])
            try write("## two\n", file, atomically: true)
            #expect(await next() == [ExactString(folder.path)])
            try FileManager.default.moveItem(at: file, to: folder.appending(path: "b.md"))
            #expect(await next() == [ExactString(folder.path)])
            try FileManager.default.removeItem(at: folder.appending(path: "b.md"))
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `what is no definition file is passed over`() async throws {
        try await withWatched { folder, next in
            let seen = Mutex(false)
            async let changed = {
                defer { seen.withLock { $0 = true } }
                return await next()
            }()
            for name in ["notes.txt", ".hidden.md", "a.md.swp", "4913"] {
                try write("x", folder.appending(path: name))
            }
            try FileManager.default.createDirectory(
                at: folder.appending(path: "deeper"), withIntermediateDirectories: true)
            try write("## x\n", folder.appending(path: "deeper/a.md"))
            // Longer than it waits for a change to be complete.
            try await Task.sleep(for: .milliseconds(600))
            #expect(!seen.withLock { $0 })
            try write("## x\n", folder.appending(path: "a.md"))
            #expect(await changed == [ExactString(folder.path)])
        }
    }

    @Test func `while files change in quick succession, nothing is announced`() async throws {
        try await withWatched { folder, next in
            let start = ContinuousClock.now
            for number in 0..<300 { try write("## x\n", folder.appending(path: "f\(number).md")) }
            var changes = 0
            repeat {
                #expect(await next() == [ExactString(folder.path)])
                changes += 1
                try write("## y\n", folder.appending(path: "last.md"))
            } while changes < 2
            // 300 files and one more: on a slow machine a few changes, never hundreds.
            #expect(ContinuousClock.now - start >= .milliseconds(400), "each change waits for a moment of quiet")
        }
    }

    @Test func `a folder that is replaced is followed`() async throws {
        try await withWatched { folder, next in
            let other = folder.deletingLastPathComponent().appending(path: "other")
            try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: folder, to: folder.appendingPathExtension("old"))
            try FileManager.default.moveItem(at: other, to: folder)
            #expect(await next() == [ExactString(folder.path)])
            try write("## x\n", folder.appending(path: "a.md"))
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `a folder that is removed and created again is followed`() async throws {
        try await withWatched { folder, next in
            try FileManager.default.removeItem(at: folder)
            #expect(await next() == [ExactString(folder.path)])
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(await next() == [ExactString(folder.path)])
            try write("## x\n", folder.appending(path: "a.md"))
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `a folder deep in what is not there yet is noticed when it appears`() async throws {
        try await withTemporaryFolder { parent in
            let folder = parent.appending(path: "one/two/three")
            let watcher = DictionaryWatcher(folders: [folder.path])
            defer { watcher.stop() }
            #expect(await watcher.next() == [ExactString(folder.path)])
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            #expect(await watcher.next() == [ExactString(folder.path)])
            try write("## x\n", folder.appending(path: "a.md"))
            #expect(await watcher.next() == [ExactString(folder.path)])
        }
    }

    @Test func `a link to another folder is followed when it is swapped`() async throws {
        let make: (URL) throws -> Void = { folder in
            let parent = folder.deletingLastPathComponent()
            for name in ["one", "two"] {
                let place = parent.appending(path: name)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try Data("## \(name)\n".utf8).write(to: place.appending(path: "a.md"))
            }
            try FileManager.default.createSymbolicLink(atPath: folder.path, withDestinationPath: "one")
        }
        try await withWatched(make) { folder, next in
            let draft = folder.path + ".new"
            try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: "two")
            #expect(rename(draft, folder.path) == 0)
            #expect(await next() == [ExactString(folder.path)])
            try write("## x\n", folder.deletingLastPathComponent().appending(path: "two/a.md"))
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `a mounted config map is followed`() async throws {
        // a.md -> ..data/a.md, ..data -> ..1: a change is another ..data.
        let make: (URL) throws -> Void = { folder in
            for version in ["..1", "..2"] {
                let place = folder.appending(path: version)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                try Data("## \(version)\n".utf8).write(to: place.appending(path: "a.md"))
            }
            let files = FileManager.default
            try files.createSymbolicLink(atPath: folder.path + "/..data", withDestinationPath: "..1")
            try files.createSymbolicLink(atPath: folder.path + "/a.md", withDestinationPath: "..data/a.md")
        }
        try await withWatched(make) { folder, next in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/..data_tmp", withDestinationPath: "..2")
            #expect(rename(folder.path + "/..data_tmp", folder.path + "/..data") == 0)
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `a file that is a link is followed to where it leads`() async throws {
        let make: (URL) throws -> Void = { folder in
            let elsewhere = folder.deletingLastPathComponent().appending(path: "elsewhere")
            for place in [folder, elsewhere] {
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            }
            try Data("## one\n".utf8).write(to: elsewhere.appending(path: "x"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/a.md", withDestinationPath: "../elsewhere/x")
        }
        try await withWatched(make) { folder, next in
            let target = folder.deletingLastPathComponent().appending(path: "elsewhere/x")
            try write("## two\n", target)
            #expect(await next() == [ExactString(folder.path)])
            try write("## three\n", target, atomically: true)
            #expect(await next() == [ExactString(folder.path)])
        }
    }

    @Test func `other folders are watched on request`() async throws {
        try await withTemporaryFolder { parent in
            let folders = ["a", "b"].map { parent.appending(path: $0) }
            for folder in folders {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            let watcher = DictionaryWatcher(folders: [folders[0].path])
            defer { watcher.stop() }
            #expect(await watcher.next() == [ExactString(folders[0].path)])
            watcher.use([folders[1].path])
            #expect(await nextChange(watcher) == [ExactString(folders[1].path)])
            try write("## x\n", folders[0].appending(path: "a.md"))
            try write("## x\n", folders[1].appending(path: "a.md"))
            #expect(await nextChange(watcher) == [ExactString(folders[1].path)])
        }
    }

    @Test func `without inotify it looks every two seconds, and says why`() async throws {
        try await withTemporaryFolder { folder in
            let watcher = DictionaryWatcher(folders: [folder.path]) { () throws(Inotify.Failure) in
                throw Inotify.Failure(errno: EMFILE)
            }
            defer { watcher.stop() }
            #expect(await watcher.next() == [ExactString(folder.path)])
            #expect(watcher.shortage?.contains("Too many open files") == true)
            try write("## x\n", folder.appending(path: "a.md"))
            #expect(await watcher.next() == [ExactString(folder.path)])
        }
    }

    /// There is also a signal for orders that were seen already.
    private func nextChange(_ watcher: DictionaryWatcher) async -> Set<ExactString>? {
        while let changed = await watcher.next() {
            if !changed.isEmpty { return changed }
        }
        return nil
    }

    @Test func `without any folder it rests until it is given one`() {
        let orderEvent = EventDescriptor()
        var watch = FolderWatch(orderEvent: orderEvent)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(500)) { orderEvent.signal() }
        let before = threadTime()
        #expect(watch.next(of: []) == [])
        #expect(threadTime() - before < .milliseconds(250), "of 500 ms, next to none is spent computing")
        #expect(watch.shortage == nil)
    }

    /// How long this thread has been computing, and not waiting.
    private func threadTime() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    @Test func `it stops while it waits`() async throws {
        try await withTemporaryFolder { folder in
            let watcher = DictionaryWatcher(folders: [folder.path])
            _ = await watcher.next()
            async let last = watcher.next()
            watcher.stop()
            var next = await last
            while next != nil { next = await watcher.next() }
            #expect(await watcher.next() == nil)
        }
    }
}
