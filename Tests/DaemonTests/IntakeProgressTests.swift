import Journal
import Model
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Store

struct IntakeProgressTests {
    private let now = ContinuousClock.now

    @Test func `the rate is that of the last window, or of the current one where there is no other`() {
        var rate = IntakeProgress.Rate()
        #expect(rate.perSecond(at: now) == 0)
        rate.add(100, at: now)
        #expect(rate.perSecond(at: now + .milliseconds(100)) == 0, "too early to say")
        #expect(rate.perSecond(at: now + .milliseconds(500)) == 200)
        rate.add(300, at: now + .seconds(1))
        #expect(rate.perSecond(at: now + .seconds(2)) == 200, "400 in 2 s")
        #expect(rate.perSecond(at: now + .seconds(3)) == 200)
        #expect(rate.perSecond(at: now + .seconds(4)) == 0, "nothing came in a whole window")
    }

    private func batch(_ time: UInt64, reachedEnd: Bool = false) -> ResolvedBatch {
        ResolvedBatch(entriesRead: 3, lastRealtimeMicroseconds: time, reachedEnd: reachedEnd)
    }

    @Test func `the position is that of what was saved, not of what was read`() {
        let progress = IntakeProgress(nil)
        progress.noteRead(batch(5_000), JournalCondition(newestMicroseconds: 9_000))
        #expect(progress.snapshot.positionMicroseconds == nil)
        #expect(progress.snapshot.unsavedMicroseconds == 5_000)
        #expect(progress.snapshot.lag == .microseconds(4_000))
        #expect(!progress.noteSaved(batch(5_000)))
        progress.noteDone(batch(5_000))
        #expect(progress.snapshot.positionMicroseconds == 5_000)
        #expect(progress.snapshot.unsavedMicroseconds == nil)
        #expect(progress.snapshot.lag == .zero)
    }

    @Test func `a batch that was read while the previous one was saved is still unsaved`() {
        let progress = IntakeProgress(nil)
        progress.noteRead(batch(5_000), JournalCondition(newestMicroseconds: 9_000))
        progress.noteRead(batch(6_000, reachedEnd: true), JournalCondition(newestMicroseconds: 9_000))
        _ = progress.noteSaved(batch(5_000))
        progress.noteDone(batch(5_000))
        #expect(progress.snapshot.unsavedMicroseconds == 6_000)
        progress.noteDone(batch(6_000))
        #expect(progress.snapshot.unsavedMicroseconds == nil)
    }

    @Test func `it has caught up when the end was first reached, and stays so`() {
        let progress = IntakeProgress(nil)
        progress.noteRead(batch(1), JournalCondition())
        #expect(progress.snapshot.caughtUpAt == nil)
        progress.noteRead(batch(2, reachedEnd: true), JournalCondition())
        let first = progress.snapshot.caughtUpAt
        #expect(first != nil)
        progress.noteRead(batch(3), JournalCondition())
        #expect(progress.snapshot.caughtUpAt == first)
        #expect(progress.snapshot.entriesRead == 9)
    }

    @Test func `a pause begins once and ends with what is saved`() {
        let progress = IntakeProgress(nil)
        let error = StoreError(kind: .full, description: "full")
        #expect(progress.notePaused(because: error))
        #expect(!progress.notePaused(because: error))
        #expect(progress.snapshot.paused?.description == "full")
        #expect(progress.noteSaved(batch(1)))
        #expect(progress.snapshot.paused == nil)
        #expect(!progress.noteSaved(batch(2)))
    }

    private func entries(at times: UInt64..., mayBeKnown: Bool = false) -> ResolvedBatch {
        var batch = ResolvedBatch(entriesRead: times.count, lastRealtimeMicroseconds: times.last, reachedEnd: true)
        let kind = EventKind(dictionary: nil, definitionsVersion: nil, key: nil)
        for time in times {
            let entry = Entry(
                origin: .sample(), level: .info, pid: 1, seqnum: time, monotonicMicroseconds: time,
                realtimeMicroseconds: time, entryHash: time, mayBeKnown: mayBeKnown, payload: 0..<0)
            batch.events.append(ResolvedEvent(entry: entry, resolution: .plain, kind: kind))
        }
        return batch
    }

    @Test func `delays are those of entries that were written after the end of the journal had been reached`() {
        let date = Mutex<UInt64>(1_000_000)
        let progress = IntakeProgress(nil, date: { date.withLock { $0 } })
        _ = progress.noteSaved(entries(at: 500_000, 1_200_000))
        #expect(progress.delays.counts.total == 0, "the end was not reached")
        progress.noteRead(entries(at: 900_000), JournalCondition())
        date.withLock { $0 = 3_000_000 }
        progress.noteRead(entries(), JournalCondition())
        _ = progress.noteSaved(entries(at: 900_000, 2_750_000, 2_000_000, 4_000_000))
        #expect(progress.delays.counts.sum == 1.25, "the clock was set back for the last one")
        #expect(progress.delays.counts.total == 3)
        _ = progress.noteSaved(entries(at: 2_000_000, mayBeKnown: true))
        #expect(progress.delays.counts.total == 3)
    }

    @Test func `stored events are counted by resolution`() {
        let progress = IntakeProgress(nil)
        progress.noteStored([.plain: 2, .resolved: 1])
        progress.noteStored([.plain: 3])
        #expect(progress.snapshot.stored == [.plain: 5, .resolved: 1])
    }

    @Test func `before anything is read, the position is the last of the previous run`() {
        let cursor = JournalCursor(
            seqnumID: ID128(high: 1, low: 1), seqnum: 4, bootID: ID128(high: 1, low: 2), monotonicMicroseconds: 5,
            realtimeMicroseconds: 77, xorHash: 6)
        let position = FilePosition(
            fileID: ID128(high: 9, low: 9), path: "system.journal", machineID: ID128(high: 8, low: 8),
            seqnumID: ID128(high: 1, low: 1), entries: 4, offset: 64, last: .init(cursor: cursor, offset: 32),
            promisedEntries: 4, promisedSeqnums: 1...4)
        let state = ReadingState(startMicroseconds: 0, files: [position])
        #expect(IntakeProgress(state).snapshot.positionMicroseconds == 77)
    }

    @Test func `the status line says what the intake does`() {
        let progress = IntakeProgress(nil)
        progress.noteRead(batch(1), JournalCondition())
        #expect(progress.snapshot.sentence(entriesPerSecond: 12.7) == "Catching up: 3 entries read, 12 entries/s")
        progress.noteRead(batch(2, reachedEnd: true), JournalCondition())
        #expect(
            progress.snapshot.sentence(entriesPerSecond: 1) == "Following the journal: 6 entries read since the start")
        _ = progress.notePaused(because: StoreError(kind: .full, description: "the store is full"))
        #expect(progress.snapshot.sentence(entriesPerSecond: 1) == "Paused: the store is full")
    }
}
