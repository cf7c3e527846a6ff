import Foundation
import Glibc
import Linux
import Model
import TestSupport
import Testing

@testable import Dictionaries

/// The kernel's queue of events, filled until it overflows.
@Suite(.timeLimit(.minutes(1)))
struct InotifyTests {
    /// Renames a file of the folder to and fro until no queue has room. Its names are no definition files'.
    /// - Source: inotify(7), "/proc interfaces"
    private func overflow(_ folder: URL) throws {
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        let (one, other) = (folder.appending(path: "one").path, folder.appending(path: "other").path)
        try Data().write(to: URL(filePath: one))
        // Each rename is two events.
        for _ in 0...count / 4 { try #require(rename(one, other) == 0 && rename(other, one) == 0) }
    }

    @Test func `events that the kernel has dropped are reported, and later ones arrive`() async throws {
        try await withTemporaryFolder { folder in
            let inotify = try Inotify(.closedFiles)
            let watch = try inotify.watch(folder.path)
            try overflow(folder)
            var last: Inotify.Event?
            var reads = 0
            while let event = inotify.events().last {
                last = event
                reads += 1
            }
            #expect(last == Inotify.Event(watch: -1, name: "", isOverflow: true))
            #expect(reads > 1)
            try Data().write(to: folder.appending(path: "a.md"))
            #expect(inotify.events().contains(Inotify.Event(watch: watch, name: "a.md", isOverflow: false)))
        }
    }

    @Test func `a folder whose events were dropped is read again, although nothing in it looks different`() async throws
    {
        try await withTemporaryFolder { folder in
            let orderEvent = EventDescriptor()
            var watch = FolderWatch(orderEvent: orderEvent)
            let first = watch.next(of: [ExactString(folder.path)])
            #expect(first == [ExactString(folder.path)])
            try overflow(folder)
            // Ends the wait of a watch that has not understood; by itself it would look in 30 seconds.
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { orderEvent.signal() }
            let changed = watch.next(of: [ExactString(folder.path)])
            #expect(changed == [ExactString(folder.path)])
        }
    }
}
