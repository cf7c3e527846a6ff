import Model
import Testing

@testable import Journal

@Suite struct ChainTests {
    private func id(_ name: String, seqnumID: UInt64 = 1, boot: UInt64 = 1, machine: UInt64 = 1) -> ChainID {
        ChainID(
            machineID: ID128(high: 0, low: machine), seqnumID: ID128(high: 0, low: seqnumID),
            bootID: ID128(high: 0, low: boot), name: name)
    }

    private func coverage(
        _ ranges: [ClosedRange<UInt64>], spans: [ClosedRange<UInt64>]? = nil, times: ClosedRange<UInt64>? = nil
    ) -> ChainCoverage {
        ChainCoverage(
            numbers: NumberRanges(ranges), spans: NumberRanges(spans ?? ranges), monotonicMicroseconds: times)
    }

    private func holes(_ saved: [ChainID: ChainCoverage]) -> [ClosedRange<UInt64>] {
        var chains = Chains(saved, most: 4096)
        let found = chains.takeChangedHoles()
        #expect(chains.takeChangedHoles().isEmpty, "nothing has changed since")
        return found.values.flatMap { $0.map(\.numbers) }
    }

    @Test func `numbers between two files are missing, as far as no other chain of that boot or counter has them`() {
        let found = holes([
            id("system"): coverage([1...10, 21...30, 41...50]),
            // A user's files, numbered by the same counter with another id; another boot; another machine.
            id("user-1000", seqnumID: 2): coverage([11...14, 17...20], spans: [11...20]),
            id("system", seqnumID: 3, boot: 2): coverage([1...100]),
            id("system", seqnumID: 4, machine: 2): coverage([1...100]),
            // An entry whose boot is damaged.
            id("system", boot: 3): coverage([32...32]),
        ])
        #expect(found == [15...16, 33...40])
    }

    @Test func `boots that take turns in files miss only what no file has, once`() {
        // Each file has one counter, and every third number is of the same boot.
        func turns(_ boot: UInt64, _ files: [ClosedRange<UInt64>]) -> ChainCoverage {
            let numbers = files.map { $0.filter { $0 % 3 == boot % 3 } }
            return coverage(
                numbers.flatMap { $0.map { $0...$0 } }, spans: numbers.map { $0[0]...$0[$0.count - 1] })
        }
        func holes(_ files: [UInt64: [ClosedRange<UInt64>]], _ name: (UInt64) -> String) -> [ClosedRange<UInt64>] {
            var saved: [ChainID: ChainCoverage] = [:]
            for (counter, ranges) in files {
                for boot in 1...3 as ClosedRange<UInt64> {
                    saved[id(name(counter), seqnumID: counter, boot: boot)] = turns(boot, ranges)
                }
            }
            return self.holes(saved)
        }
        // Rotation, and a file between two others that is gone.
        #expect(holes([1: [1...100, 101...200, 231...300]]) { _ in "remote" } == [201...230])
        // Two files, each with a counter of its own.
        #expect(holes([1: [1...100], 2: [1...120]]) { "remote-\($0)" }.isEmpty)
        #expect(holes([1: [1...100, 111...150], 2: [50...150]]) { "remote-\($0)" } == [101...110])
    }

    @Test func `more numbers than can be counted are missing as any others`() {
        let most = UInt64.max - 1
        #expect(holes([id("system"): coverage([1...10, most...UInt64.max])]) == [11...most - 1])
    }

    @Test func `one number alone is what a full file leaves, and numbers between boots are nobody's`() {
        #expect(holes([id("system"): coverage([1...10, 12...20])]).isEmpty)
        #expect(holes([id("system"): coverage([1...10]), id("system", boot: 2): coverage([50...60])]).isEmpty)
    }

    @Test func `numbers within a file are missing only where another chain may have had them`() {
        let flushed = coverage([1...188, 194...300], spans: [1...300])
        #expect(holes([id("system"): flushed]).isEmpty)
        // The user's files began later.
        #expect(holes([id("system"): flushed, id("user-1000"): coverage([301...310])]).isEmpty)
        #expect(holes([id("system"): flushed, id("user-1000"): coverage([150...160, 189...190])]) == [191...193])
        // All that is left of a user's files is known from before.
        let system = coverage([1...9, 15...20, 31...40], spans: [1...40])
        #expect(holes([id("system"): system, id("user-1000"): coverage([10...14])]) == [21...30])
    }

    private func entry(_ number: UInt64, time: UInt64, realtime: UInt64? = nil, hash: UInt64 = 7) -> EntryHead {
        .numbered(number, time: time, realtime: realtime, hash: hash)
    }

    @Test func `numbers end at the largest one: 0 does not follow it`() throws {
        let boot = Chain.Boot(id("system").boot)
        let chain = boot.add(id("system"), ChainCoverage())
        defer { withExtendedLifetime(boot) {} }
        var (own, last) = (RepeatCount(), UInt64?.none)
        for (time, number) in ([1, .max - 1, .max, 0, 1] as [UInt64]).enumerated() {
            _ = chain.note(entry(number, time: UInt64(time)), after: last, fileFrom: 1, &own)
            last = number
        }
        #expect(try #require(chain.takeChange()).numbers.ranges == [0...1, .max - 1 ... .max])
    }

    @Test func `equal entries of one time are distinct, over files and restarts`() throws {
        var own = RepeatCount()
        let boots = (Chain.Boot(id("system").boot), Chain.Boot(id("system").boot))
        let first = boots.0.add(id("system"), ChainCoverage())
        let before = (1...3).map {
            first.note(entry($0, time: 5), after: $0 == 1 ? nil : $0 - 1, fileFrom: 1, &own).ordinal
        }
        #expect(before == [0, 1, 2])
        #expect(first.note(entry(4, time: 5, hash: 8), after: 3, fileFrom: 1, &own).ordinal == 0)
        // Read on after a restart, in the next file.
        let again = boots.1.add(first.id, try #require(first.takeChange()))
        #expect(again.note(entry(5, time: 5), after: nil, fileFrom: 1, &own).ordinal == 3)
        #expect(again.note(entry(6, time: 6), after: 5, fileFrom: 1, &own).ordinal == 0)
        // A file that comes late has a count of its own, and does not disturb that of the chain.
        var late = RepeatCount()
        #expect((1...2).map { again.note(entry($0, time: 5), after: nil, fileFrom: 1, &late).ordinal } == [0, 1])
        #expect(again.note(entry(7, time: 6), after: 6, fileFrom: 1, &own).ordinal == 1)
    }

    @Test
    func `where the time since the boot never changes, equal entries of one time are distinct, and few are remembered`()
        throws
    {
        var own = RepeatCount()
        let boot = Chain.Boot(id("system").boot)
        defer { withExtendedLifetime(boot) {} }
        let chain = boot.add(id("system"), ChainCoverage())
        var number: UInt64 = 0
        func ordinal(_ realtime: UInt64, _ hash: UInt64) -> UInt32 {
            number += 1
            return chain.note(
                entry(number, time: 0, realtime: realtime, hash: hash), after: number == 1 ? nil : number - 1,
                fileFrom: 1, &own
            ).ordinal
        }
        for time in 1...1000 as ClosedRange<UInt64> {
            #expect([ordinal(time, time), ordinal(time, 0), ordinal(time, time)] == [0, 0, 1])
        }
        #expect(try #require(chain.takeChange()).repeats.counts == [1000: 2, 0: 1])
        // A file that comes late counts as the same one does when it is read in its order.
        let late = (1...3).map { chain.note(entry($0, time: 0, realtime: $0, hash: 9), after: nil, fileFrom: 1, &own) }
        #expect(late.map(\.ordinal) == [0, 0, 0])
        // Of a time before the latest, all are remembered.
        #expect([ordinal(5, 5), ordinal(1000, 1000), ordinal(5, 5)] == [0, 2, 1])
    }

    @Test func `a number that came before is known, in whatever order files come`() {
        var own = RepeatCount()
        let boot = Chain.Boot(id("system").boot)
        let chain = boot.add(id("system"), coverage([10...20]))
        let notes = [9, 10, 15, 20, 21, 22, 21].map { chain.note(entry($0, time: $0), after: nil, fileFrom: 1, &own) }
        #expect(notes.map(\.mayBeKnown) == [false, true, true, true, false, false, true])
        #expect(notes.map(\.wasRead) == notes.map(\.mayBeKnown))
    }

    @Test func `of more ranges than are kept, no number was certainly read`() {
        var own = RepeatCount()
        let boot = Chain.Boot(id("system").boot)
        defer { withExtendedLifetime(boot) {} }
        let chain = boot.add(id("system"), coverage([]))
        let numbers = stride(from: 2, through: 1200, by: 2).map { UInt64($0) }
        for number in numbers { _ = chain.note(entry(number, time: number), after: nil, fileFrom: 1, &own) }
        let notes = [2, 3].map { chain.note(entry($0, time: $0), after: nil, fileFrom: 1, &own) }
        #expect(notes.allSatisfy { $0.mayBeKnown && !$0.wasRead })
    }

    @Test func `what came in the same files at the same time under other numbers may be known`() {
        let runtime = id("system", seqnumID: 2)
        var chains = Chains(
            [
                runtime: coverage([1...10], times: 100...200), id("system"): coverage([1...2]),
                id("user-1000"): coverage([11...12], times: 100...400),
            ], most: 4096)
        func mayBeKnown(_ id: ChainID, _ time: UInt64) -> Bool {
            chains[id].mayHaveOtherNumber(monotonicMicroseconds: time)
        }
        #expect(mayBeKnown(id("system"), 150) && !mayBeKnown(id("system"), 201))
        #expect(
            !mayBeKnown(runtime, 150) && !mayBeKnown(id("system", boot: 2), 150) && !mayBeKnown(id("user-1000"), 150))
    }
}
