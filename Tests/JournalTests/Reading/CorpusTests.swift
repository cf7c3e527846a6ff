import Foundation
import Model
import TestSupport
import Testing

@testable import Journal

/// Files that somebody collected because they had made a reader crash or loop: those of the folder that
/// GLOSS_JOURNAL_CORPUS names. systemd's source has 629 of them, in test/test-journals.
@Suite(.enabled(if: FuzzBudget.corpus != nil, "GLOSS_JOURNAL_CORPUS is not set"), .timeLimit(.minutes(30)))
struct CorpusTests {
    private func files() throws -> [String] {
        let folder = try #require(FuzzBudget.corpus)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().map { "\(folder)/\($0)" }
    }

    @Test func `of each file at least as much is read as journalctl shows`() throws {
        var (entries, unreadable) = (0, 0)
        for path in try files() {
            let theirs = try seqnumsByJournalctl(path)
            do throws(FormatError) {
                let ours = try seqnums(path)
                entries += ours.count
                #expect(theirs.isSubset(of: ours), "\(path): \(ours.count) and \(theirs.count)")
            } catch {
                unreadable += 1
                #expect(theirs.isEmpty, "\(path): \(error)")
            }
        }
        print("\(try files().count) files, \(entries) entries, \(unreadable) files that cannot be read")
    }

    private func seqnums(_ path: String) throws(FormatError) -> Set<UInt64> {
        let file = try OpenFile(path: path)
        defer { file.close() }
        var reading = FileReading(file, number: 0, try file.header(), end: try file.size(), windowBytes: 1 << 16)
        var found: Set<UInt64> = []
        while true {
            switch try reading.next() {
            case .entry(let entry): found.insert(entry.seqnum)
            case .lost: break
            case .end: return found
            }
        }
    }

    @Test func `each file alone, and all of them together, are read to their end, once`() async throws {
        for file in try files() { try await read([file]) }
        try await read(files())
    }

    private func read(_ files: [String]) async throws {
        try await withTemporaryFolder { folder in
            for (index, file) in files.enumerated() {
                try FileManager.default.copyItem(
                    atPath: file, toPath: folder.appending(path: "\(index).journal").path)
            }
            let session = JournalSession(folder)
            var state = ReadingState(startMicroseconds: 0)
            var batches = 0
            while true {
                let batch = session.read(BatchLimit(maximumEntriesRead: 4000))
                state.add(batch.progress)
                batches += 1
                if batch.reachedEnd { break }
                try #require(batches < 10_000, "\(files)")
            }
            let again = JournalSession(folder, from: state).readAll()
            #expect(again.entriesRead == 0 && again.gaps.isEmpty, "\(files)")
        }
    }
}
