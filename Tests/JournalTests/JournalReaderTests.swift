import Foundation
@testable import Journal
import Linux
import Model
import TestSupport
import Testing

/// The reader's thread, waiting and waking, on journals with fixed content.
@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"), .timeLimit(.minutes(1)))
struct JournalReaderTests {
    private func reader(_ folder: URL, start: StartPoint = .oldest) async -> JournalReader {
        let location = JournalLocation.directory(folder.path(percentEncoded: false))
        return await JournalReader(
            options: JournalOptions(location: location, start: start, maximumFieldBytes: 1 << 20),
            rules: [.subsystem("*")], from: nil)
    }

    @Test func `limits end a batch, and the next one continues`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = await reader(folder)
            let byEntries = await reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 3), wait: .zero)
            #expect(byEntries.entriesRead == 3 && !byEntries.reachedEnd)
            let byEvents = await reader.nextBatch(limit: BatchLimit(maximumEvents: 1), wait: .zero)
            #expect(byEvents.entries.count == 1 && byEvents.entriesRead == 1)
            // Names count that are new.
            let byBytes = await reader.nextBatch(limit: BatchLimit(maximumEventBytes: 100), wait: .zero)
            #expect(byBytes.messages.count == 2)
            let rest = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            #expect(rest.entriesRead == 2 && rest.reachedEnd)
        }
    }

    @Test func `all entries that are passed within one wait are counted`() async throws {
        try await withTemporaryFolder { folder in
            try FixedJournal.write("system", 1...20, file: 1, in: folder)
            let reader = await reader(folder, start: .now)
            async let batch = reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 3), wait: .seconds(30))
            // It takes seven reads. What is passed is no longer unread.
            while reader.condition.unreadEntries > 0 { try await Task.sleep(for: .milliseconds(2)) }
            reader.wake()
            let passed = await batch
            #expect(passed.entriesPassed == 20 && passed.entriesRead == 0 && passed.reachedEnd)
        }
    }

    @Test func `wake ends a wait`() async throws {
        try await withTemporaryFolder { folder in
            let reader = await reader(folder)
            async let batch = reader.nextBatch(limit: BatchLimit(), wait: .seconds(3600))
            reader.wake()
            #expect(await batch.entriesRead == 0)
        }
    }

    @Test func `other rules hold from the next batch on`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = await reader(folder)
            reader.setRules([.subsystem("com.example.cart")])
            let batch = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            #expect(batch.entries.map(\.origin.subsystem) == ["com.example.cart"])
        }
    }

    @Test func `how the journal is can be asked while it waits`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt"), fixture("next-boot.txt")]) { folder in
            let reader = await reader(folder)
            #expect(reader.condition.unreadEntries == 10)
            _ = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            async let batch = reader.nextBatch(limit: BatchLimit(), wait: .seconds(3600))
            #expect(reader.condition.health.readableFiles == 2 && reader.condition.unreadEntries == 0)
            #expect(reader.condition.newestMicroseconds == 1_700_000_100_000_002)
            reader.wake()
            #expect(await batch.entriesRead == 0)
            await reader.look()
        }
    }

    @Test(arguments: [false, true])
    func `what comes while it waits is read`(isPolling: Bool) async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = await reader(folder, start: .now)
            let start = await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            #expect(start.entriesRead == 0 && start.progress.startMicroseconds != nil)
            #expect(reader.newStart == start.progress.startMicroseconds)
            reader.setPolling(isPolling)
            async let batch = reader.nextBatch(limit: BatchLimit(), wait: .seconds(20))
            var builder = JournalFileBuilder(number: 2)
            builder.add(["SUBSYSTEM=s", "MESSAGE=new"].map { Array($0.utf8) }, at: wallClock() + 1_000_000)
            try Data(builder.bytes).write(to: folder.appending(path: "2.journal"))
            #expect(await batch.messages == ["new"])
        }
    }
}
