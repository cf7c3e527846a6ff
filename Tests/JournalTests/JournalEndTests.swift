import Foundation
@testable import Journal
import Linux
import Model
import Synchronization
import TestSupport
import Testing

/// Until when a journal is known to have been read to its end.
@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"))
struct JournalEndTests {
    /// A clock that advances by one with each reading.
    private final class StepClock: Sendable {
        private let count = Atomic<UInt64>(0)
        func now() -> UInt64 { count.add(1, ordering: .relaxed).newValue }
        var last: UInt64 { count.load(ordering: .relaxed) }
    }

    private func session(_ folder: URL, _ clock: StepClock, start: StartPoint = .oldest) -> JournalSession {
        JournalSession(folder, start: start) { clock.now() }
    }

    @Test func `a batch that ends before the journal says nothing`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let clock = StepClock()
            let session = session(folder, clock)
            #expect(session.read(BatchLimit(maximumEntriesRead: 3)).readUntilMicroseconds == nil)
            let rest = session.read(.none)
            #expect(rest.reachedEnd && rest.readUntilMicroseconds != nil)
        }
    }

    @Test func `the time advances while nothing comes, and is never later than the check`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let clock = StepClock()
            let session = session(folder, clock)
            var last: UInt64 = 0
            for _ in 0..<3 {
                session.checkSoon()
                let before = clock.last
                let until = try #require(session.read(.none).readUntilMicroseconds)
                #expect(until == before + 1)
                #expect(until > last)
                last = until
            }
            // Without a look at the folders, a file may have come that is not open yet.
            #expect(session.read(.none).readUntilMicroseconds == last)
        }
    }

    @Test(arguments: [StartPoint.oldest, .now])
    func `an empty journal has been read, one that is not there has not`(start: StartPoint) async throws {
        try await withTemporaryFolder { folder in
            #expect(session(folder, StepClock(), start: start).readAll().readUntilMicroseconds != nil)
            let later = folder.appending(path: "later")
            let batch = session(later, StepClock(), start: start).readAll()
            #expect(batch.reachedEnd && batch.readUntilMicroseconds == nil)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a caller that wakes the reader learns how far it is`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = await JournalReader(
                options: JournalOptions(
                    location: .directory(folder.path(percentEncoded: false)), start: .now, maximumFieldBytes: 1 << 20),
                rules: [.subsystem("*")], from: nil)
            _ = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            let before = wallClock()
            reader.wake()
            let batch = await reader.nextBatch(limit: BatchLimit(), wait: .seconds(3600))
            let until = try #require(batch.readUntilMicroseconds)
            #expect(until >= before)
        }
    }
}
