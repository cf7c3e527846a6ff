import Foundation
@testable import Journal
import Model
import TestSupport
import Testing

/// The reader's thread, waiting and waking, on journals with fixed content.
@Suite(.enabled(if: JournalFixture.reasonToSkip == nil, "systemd-journal-remote is needed"), .timeLimit(.minutes(1)))
struct JournalReaderTests {
    private func reader(_ folder: URL, start: StartPoint = .oldest) async throws -> JournalReader {
        let location = JournalLocation.directory(folder.path(percentEncoded: false))
        return try await JournalReader(
            options: JournalOptions(location: location, start: start, maximumFieldBytes: 1 << 20),
            rules: [.subsystem("*")], resumeAfter: nil)
    }

    @Test func `limits end a batch, and the next one goes on`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = try await reader(folder)
            let byEntries = try await reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 3), wait: .zero)
            #expect(byEntries.entriesRead == 3 && !byEntries.reachedEnd)
            let byEvents = try await reader.nextBatch(limit: BatchLimit(maximumEvents: 1), wait: .zero)
            #expect(byEvents.entries.count == 1 && byEvents.entriesRead == 1)
            let byBytes = try await reader.nextBatch(limit: BatchLimit(maximumEventBytes: 30), wait: .zero)
            #expect(byBytes.messages.count == 2)
            let rest = try await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            #expect(rest.entriesRead == 2 && rest.reachedEnd)
        }
    }

    @Test func `wake ends a wait`() async throws {
        try await withTemporaryFolder { folder in
            let reader = try await reader(folder)
            async let batch = reader.nextBatch(limit: BatchLimit(), wait: .seconds(3600))
            reader.wake()
            #expect(try await batch.entriesRead == 0)
        }
    }

    @Test func `a question to the reader does not wait for entries`() async throws {
        try await withTemporaryFolder { folder in
            let reader = try await reader(folder)
            async let batch = reader.nextBatch(limit: BatchLimit(), wait: .seconds(3600))
            // Whichever of them comes first: none waits an hour.
            for _ in 0..<3 { #expect(await reader.health().readableFiles == 0) }
            reader.wake()
            #expect(try await batch.entriesRead == 0)
        }
    }

    @Test(arguments: [false, true])
    func `what comes while it waits is read`(isPolling: Bool) async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt")]) { folder in
            let reader = try await reader(folder, start: .now)
            let start = try await reader.nextBatch(limit: BatchLimit(), wait: .zero)
            #expect(start.entriesRead == 0 && start.position != nil)
            reader.setPolling(isPolling)
            async let batch = reader.nextBatch(limit: BatchLimit(maximumEntriesRead: 1), wait: .seconds(3600))
            try JournalFixture.write(try fixture("next-boot.txt"), to: folder.appending(path: "2.journal"))
            #expect(try await batch.messages == ["second boot, first"])
        }
    }

    @Test func `the extent is that of all files`() async throws {
        try await JournalFixture.withJournal(of: [fixture("shop.txt"), fixture("next-boot.txt")]) { folder in
            let reader = try await reader(folder)
            let extent = try #require(try await reader.extent())
            #expect(extent.oldestMicroseconds == 1_700_000_000_000_001)
            #expect(extent.newestMicroseconds == 1_700_000_100_000_002)
        }
        try await withTemporaryFolder { folder in
            let extent = try await reader(folder).extent()
            #expect(extent == nil)
        }
    }

    @Test func `all of it runs on one thread, which ends with the reader`() async throws {
        try await withTemporaryFolder { folder in
            weak var gone: JournalReader?
            do {
                let reader = try await reader(folder)
                gone = reader
                for _ in 0..<3 { _ = try await reader.nextBatch(limit: BatchLimit(), wait: .zero) }
            }
            #expect(gone == nil)
        }
    }
}
