import Model
import Testing

@testable import Journal

@Suite struct ChainsTests {
    /// - Parameter seqnumID: the counter; unless another is given, each boot has its own.
    private func id(_ boot: UInt64, _ name: String = "system", seqnumID: UInt64? = nil) -> ChainID {
        ChainID(
            machineID: ID128(high: 0, low: 1), seqnumID: ID128(high: 0, low: seqnumID ?? boot),
            bootID: ID128(high: 0, low: boot), name: name)
    }

    /// What a store has of them that saved all changes.
    private struct Saved {
        var chains: [ChainID: ChainCoverage] = [:]

        mutating func save(_ changes: [ChainID: ChainCoverage?]) {
            for (id, coverage) in changes { chains[id] = coverage }
        }

        var boots: [UInt64] { chains.keys.map(\.bootID.low).sorted() }
    }

    private func read(_ numbers: ClosedRange<UInt64>, of id: ChainID, _ chains: inout Chains) {
        let chain = chains[id]
        var own = RepeatCount()
        for number in numbers { _ = chain.note(.numbered(number), after: nil, fileFrom: number, &own) }
    }

    private func missing(_ chains: inout Chains) -> [ClosedRange<UInt64>] {
        chains.takeChangedHoles().values.flatMap { $0.map(\.numbers) }
    }

    @Test func `of many boots those are kept that had entries last, in memory as on disk`() {
        var chains = Chains(most: 16)
        var saved = Saved()
        for boot in 1...100 as ClosedRange<UInt64> {
            read(1...3, of: id(boot), &chains)
            // One of them is used all the time.
            read(boot...boot, of: id(7), &chains)
            #expect(boot % 10 > 0 || missing(&chains).isEmpty)
            saved.save(chains.takeChanges())
            #expect(saved.chains.count <= 16)
        }
        #expect(saved.boots.contains(7))
        #expect(saved.boots.suffix(13) == Array(88...100))
        // Nothing is known of the others: what comes of them is as if it came first.
        read(2...2, of: id(30), &chains)
        saved.save(chains.takeChanges())
        #expect(saved.chains[id(30)]?.numbers.ranges == [2...2])
        #expect(saved.chains[id(7)]?.numbers.ranges == [1...100])
    }

    @Test func `a chain may have copies of what was read before it began, whatever times are damaged`() {
        let damaged = ChainCoverage(
            numbers: NumberRanges([1...9]), monotonicMicroseconds: 1...UInt64.max, latestRealtimeMicroseconds: 90)
        var chains = Chains([id(1): damaged, id(1, "user-1"): damaged], most: 16, clock: { 100 })
        #expect(chains[id(1)].mayBeCopyUntil == 0 && chains[id(1, "user-1")].mayBeCopyUntil == 0)
        #expect(chains[id(1, "copy")].mayBeCopyUntil == 90 && chains[id(2)].mayBeCopyUntil == 0)
        var own = RepeatCount()
        var future = EntryHead.numbered(1)
        future.realtimeMicroseconds = .max
        _ = chains[id(2)].note(future, after: nil, fileFrom: 1, &own)
        #expect(chains[id(2, "user-1")].mayBeCopyUntil == 100)
    }

    @Test func `a smaller store continues with what was read last`() {
        var saved = Saved()
        for boot in 1...30 as ClosedRange<UInt64> {
            saved.chains[id(boot)] = ChainCoverage(
                numbers: NumberRanges([1...9]), latestRealtimeMicroseconds: boot == 3 ? .max : boot)
        }
        var chains = Chains(saved.chains, most: 8)
        saved.save(chains.takeChanges())
        #expect(saved.boots == [3] + Array(25...30))
        #expect(chains.takeChanges().isEmpty)
    }

    @Test func `boots of which holes are to be reported go last`() {
        var chains = Chains(most: 16)
        for boot in 1...100 as ClosedRange<UInt64> {
            read(1...3, of: id(boot), &chains)
            if boot == 5 || boot == 50 { read(10...12, of: id(boot), &chains) }
            _ = chains.takeChanges()
        }
        let holes = chains.takeChangedHoles().filter { !$0.value.isEmpty }
        #expect(Set(holes.keys.map(\.bootID.low)) == [5, 50])
        #expect(holes.values.map { $0.map(\.numbers) } == [[4...9], [4...9]])
        // Nor do they stay for ever.
        for boot in 101...200 as ClosedRange<UInt64> {
            read(1...3, of: id(boot), &chains)
            _ = chains.takeChanges()
        }
        chains.recheck(at: holes.keys)
        #expect(missing(&chains).isEmpty)
    }

    @Test func `of boots that take turns, the forgotten ones leave no holes in others, and a hole is reported once`() {
        var chains = Chains(most: 16)
        var found: Set<JournalHole> = []
        for first in [1, 101, 201, 301, 401, 601, 701, 801, 901] as [UInt64] {
            for number in first..<first + 100 {
                read(number...number, of: id(number % 40 + 1, "remote", seqnumID: 1), &chains)
            }
            for holes in chains.takeChangedHoles().values { found.formUnion(holes) }
            #expect(chains.takeChanges().values.contains { $0 == nil }, "some are forgotten")
        }
        #expect(found.map(\.numbers) == [501...600])
    }

    @Test func `of one boot with many chains those go that ended first, and their numbers are not missing`() {
        var chains = Chains(most: 16)
        var saved = Saved()
        var next: UInt64 = 1
        for user in 0..<100 {
            // The system's entries lie on both sides of each user's.
            read(next...next + 3, of: id(1), &chains)
            read(next + 4...next + 9, of: id(1, "user-\(user)"), &chains)
            next += 10
            saved.save(chains.takeChanges())
        }
        read(next...next, of: id(1), &chains)
        #expect(missing(&chains).isEmpty)
        saved.save(chains.takeChanges())
        #expect((8...16).contains(saved.chains.count))
        #expect(saved.chains[id(1)] != nil && saved.chains[id(1, "user-99")] != nil)
        // After a restart as well.
        var again = Chains(saved.chains, most: 16)
        #expect(missing(&again).isEmpty)
    }
}

extension EntryHead {
    /// - Parameter time: microseconds since the boot; as many as the number, unless another is given.
    static func numbered(
        _ number: UInt64, time: UInt64? = nil, realtime: UInt64? = nil, hash: UInt64 = 7
    ) -> EntryHead {
        let time = time ?? number
        var bytes = [UInt8](repeating: 0, count: EntryHead.bytes)
        for (place, value) in [
            (0, 3), (8, 64), (16, number), (24, realtime ?? 1000 + time), (32, time), (40, 1), (56, hash),
        ] {
            for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(byte))) }
        }
        return bytes.withUnsafeBytes { EntryHead($0.bytes, at: 0) }
    }
}
